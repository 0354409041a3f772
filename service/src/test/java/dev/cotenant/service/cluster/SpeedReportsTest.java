package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.service.cluster.SpeedReports.Reported;
import dev.cotenant.service.cluster.SpeedReports.Result;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who was beside a pod is what the ledger says. */
class SpeedReportsTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
  private static final MemorySize GIB = MemorySize.ofGiB(1);

  private final List<MeasuredSpeed> stored = new ArrayList<>();
  private final SpeedStore store =
      new SpeedStore() {
        @Override
        public void add(List<MeasuredSpeed> rows) {
          stored.addAll(rows);
        }

        @Override
        public Map<String, Long> newest() {
          throw new UnsupportedOperationException();
        }

        @Override
        public List<MeasuredSpeed> of(String namespace) {
          throw new UnsupportedOperationException();
        }
      };

  private ClusterSnapshot cluster = new ClusterSnapshot(NOW, List.of());
  private Instant now = NOW;
  private boolean leads = true;
  private final SpeedReports reports =
      new SpeedReports(
          () -> {
            if (!leads) {
              throw new NotLeadingException("another replica");
            }
            return cluster;
          },
          store,
          () -> now,
          _ -> {});

  private static Tenant tenant(String name, @Nullable GraphRun run) {
    return tenant(name, run, NOW.minus(SpeedReports.WINDOW));
  }

  private static Tenant tenant(String name, @Nullable GraphRun run, Instant since) {
    Utilization busy = Utilization.ofPercent(40);
    return new Tenant(
        name,
        new UtilizationEstimate(busy, busy, busy, null),
        new MemoryEstimate(GIB, GIB, GIB, null),
        Slowdown.ofRatio(1.15),
        since,
        run);
  }

  private static GraphRun run(int batch) {
    return new GraphRun(new GraphWork(1e9, 1e8, 1e8, 50), batch, RunSettings.DEFAULT);
  }

  private static GpuSnapshot gpu(String uuid, Tenancy tenancy) {
    return new GpuSnapshot(
        uuid,
        "node-1",
        DeviceCatalogue.builtIn().require("a100-40gb"),
        MemorySize.ofGiB(40),
        tenancy,
        new MemoryObservation.Unmeasured());
  }

  private static Tenancy shared(Tenant... tenants) {
    return new Tenancy.Shared(List.of(tenants));
  }

  private List<Result> add(String namespace, Tenancy tenancy, Reported... reported) {
    cluster = new ClusterSnapshot(NOW, List.of(gpu("GPU-a", tenancy), gpu("GPU-b", shared())));
    now = NOW.minus(SpeedReports.WINDOW);
    reports.observe();
    now = NOW;
    return reports.add(namespace, List.of(reported));
  }

  private String reason(String namespace, Tenancy tenancy, Reported reported) {
    Result result = add(namespace, tenancy, reported).getFirst();
    assertThat(result.isTaken()).isFalse();
    assertThat(stored).isEmpty();
    return result.reason();
  }

  @Test
  void storesASpeedWithTheNeighboursOfTheLedger() {
    Tenancy pair = shared(tenant("team-a/one", run(8)), tenant("team-b/two", run(16)));

    assertThat(add("team-a", pair, new Reported("one", 12.5))).containsExactly(new Result(1, ""));
    MeasuredSpeed row = stored.getFirst();
    assertThat(row.namespace()).isEqualTo("team-a");
    assertThat(row.pod()).isEqualTo("one");
    assertThat(row.device()).isEqualTo("a100-40gb");
    assertThat(row.speed()).isEqualTo(12.5);
    assertThat(row.job().configuration()).contains(" b8 ");
    assertThat(row.neighbours())
        .extracting(SharedJob::configuration)
        .allSatisfy(name -> assertThat(name).contains(" b16 "));
    assertThat(row.job().model()).isEqualTo(row.neighbours().getFirst().model());
  }

  @Test
  void aPodWithoutNeighboursIsAlone() {
    assertThat(add("team-a", shared(tenant("team-a/one", run(8))), new Reported("one", 3)))
        .containsExactly(new Result(0, ""));
    assertThat(stored.getFirst().isAlone()).isTrue();
  }

  @Test
  void rejectsWhatCannotBeCounted() {
    Tenancy one = shared(tenant("team-a/one", run(8)));
    Reported speed = new Reported("one", 3);

    assertThat(reason("team-b", one, speed)).contains("no pod 'one'");
    assertThat(reason("team-a", new Tenancy.Exclusive("team-a/one"), speed))
        .contains("only granted shares count");
    assertThat(reason("team-a", one, new Reported("one", 0))).contains("above 0");
    assertThat(reason("team-a", one, new Reported("one", Double.NaN))).contains("is NaN");
    assertThat(reason("team-a", one, new Reported("one", 1e13))).contains("1.0E13");
    assertThat(reason("team-a", shared(tenant("team-a/one", null)), speed))
        .contains("register the models");
    Tenant[] nine =
        IntStream.range(0, 9)
            .mapToObj(i -> tenant("team-a/" + (i == 0 ? "one" : "p" + i), run(8)))
            .toArray(Tenant[]::new);
    assertThat(reason("team-a", shared(nine), speed)).contains("9 tenants, at most 8");
  }

  private void onGpu(Tenancy tenancy) {
    cluster = new ClusterSnapshot(now, List.of(gpu("GPU-a", tenancy)));
    reports.observe();
  }

  private String reason() {
    return reports.add("team-a", List.of(new Reported("one", 3))).getFirst().reason();
  }

  @Test
  void countsOnlyWhereNobodyCameStartedOrLeftInTheWindow() {
    Tenant one = tenant("team-a/one", run(8), NOW.minusSeconds(3600));
    Tenant two = tenant("team-b/two", run(8), NOW.minusSeconds(3600));
    onGpu(shared(one, two));
    assertThat(reason()).as("nobody looked before").contains("within the last 5 minutes");

    now = NOW.plus(SpeedReports.WINDOW);
    assertThat(reason()).isEmpty();
    onGpu(shared(one));
    assertThat(reason()).as("one has left").contains("within the last 5 minutes");

    now = now.plus(SpeedReports.WINDOW);
    assertThat(reason()).isEmpty();
    onGpu(shared(one, tenant("team-b/three", run(8), Instant.MAX)));
    now = now.plus(SpeedReports.WINDOW);
    assertThat(reason()).as("one has not started").contains("within the last 5 minutes");
  }

  @Test
  void unattributedUsageIsANeighbourThatNobodyKnows() {
    Tenancy one = shared(tenant("team-a/one", run(8)));
    GpuSnapshot busy =
        new GpuSnapshot(
            "GPU-a",
            "node-1",
            DeviceCatalogue.builtIn().require("a100-40gb"),
            MemorySize.ofGiB(40),
            one,
            new MemoryObservation.Unmeasured(),
            Utilization.ofPercent(70));
    cluster = new ClusterSnapshot(NOW, List.of(busy));
    now = NOW.minus(SpeedReports.WINDOW);
    reports.observe();
    now = NOW;

    assertThat(reason()).contains("30.0 % more than its pods explain");
  }

  @Test
  void theSpeedOfAServiceIsItsRate() {
    RunSettings settings =
        RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32).withLoad(new Load.RequestRate(20));
    GraphRun service = new GraphRun(new GraphWork(1e9, 1e8, 1e8, 50), 8, settings);

    assertThat(reason("team-a", shared(tenant("team-a/one", service)), new Reported("one", 20)))
        .contains("request rate");
  }

  @Test
  void anotherProcessKnowsWhereItDoesNotLead() {
    onGpu(shared(tenant("team-a/one", run(8))));
    leads = false;
    reports.observe();
    assertThatThrownBy(this::reason).isInstanceOf(NotLeadingException.class);

    leads = true;
    now = NOW.plus(SpeedReports.WINDOW);
    assertThat(reason()).as("it has not looked since").contains("within the last 5 minutes");
  }

  @Test
  void oneWrongSpeedDoesNotRejectTheOthers() {
    Tenancy pair = shared(tenant("team-a/one", run(8)), tenant("team-a/two", run(16)));
    List<Result> results =
        add(
            "team-a",
            pair,
            new Reported("gone", 1),
            new Reported("two", 2),
            new Reported("one", 1));

    assertThat(results).extracting(Result::isTaken).containsExactly(false, true, true);
    assertThat(stored).hasSize(2);
  }
}
