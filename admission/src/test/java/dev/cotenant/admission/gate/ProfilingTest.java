package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.Measuring;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A training of an unknown configuration is measured alone, then gets neighbours. */
class ProfilingTest {
  private static final Duration TIME = Duration.ofMinutes(5);

  private final GateBench bench = new GateBench(1);
  private final Set<String> measured = new TreeSet<>();

  ProfilingTest() {
    bench.policy =
        bench.policy.with(copy ->
            copy.measuring =
                new Measuring(Measuring.Profiling.UNKNOWN_FIRST, TIME, GuardRules.DEFAULT, null));
    bench.predictor = new MeasuredModels();
    bench.lead();
  }

  /** Measured models keep the device busy for 20 %, at most 23. */
  private final class MeasuredModels implements WorkloadPredictor {
    private final FakePredictor estimates = new FakePredictor();

    @Override
    public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
      Outcome outcome = estimates.predict(workload, devices, level);
      if (!measured.contains(workload.model())
          || !(outcome instanceof Outcome.Predicted(var byDevice))) {
        return outcome;
      }
      Map<DeviceId, Prediction> all = new HashMap<>();
      Profiled.measured(byDevice)
          .forEach((device, prediction) ->
              all.put(
                  device,
                  prediction.withUtilization(
                      new UtilizationEstimate(
                          Utilization.ofPercent(20),
                          Utilization.ofPercent(17),
                          Utilization.ofPercent(23),
                          level))));
      return new Outcome.Predicted(all);
    }
  }

  private StoredPod started(String name, String model) {
    StoredPod pod = bench.hold(name, model, 1);
    assertThat(GateBench.gpu(pod)).isEqualTo("GPU-1a");
    bench.start(pod);
    return pod;
  }

  private List<Tenant> tenants() {
    return ((Tenancy.Shared)
            bench.controller().cluster().orElseThrow().find("GPU-1a").orElseThrow().tenancy())
        .tenants();
  }

  @Test
  void closesTheGpuUntilTheTimeIsOver() {
    StoredPod first = started("first", "densenet121");
    Instant until = bench.now.plus(TIME);
    StoredPod second = bench.hold("second", "densenet121", 1);

    assertThat(bench.reasons(second))
        .containsExactly(new Reason.ProfilingInProgress("GPU-1a", "n1", "team-a/first", until));
    bench.later(TIME.minusSeconds(1));
    assertThat(GateBench.gpu(second)).isNull();
    measured.add("densenet121");
    bench.later(Duration.ofSeconds(1));

    assertThat(GateBench.gpu(second)).isEqualTo("GPU-1a");
    assertThat(first.annotation(CotenantAnnotations.PROFILED)).isEqualTo("measured");
    assertThat(first.annotation(CotenantAnnotations.PREDICTED_UTILIZATION)).isEqualTo("23.0");
    assertThat(second.annotations).doesNotContainKey(CotenantAnnotations.PROFILE_TIME);
    assertThat(tenants())
        .extracting(tenant -> tenant.utilization().upper().percent())
        .containsExactly(23.0, 23.0);
  }

  private @Nullable Instant aloneUntil(StoredPod pod) {
    return Objects.requireNonNull(bench.controller().view().granted().get(pod.watched().pod()))
        .aloneUntil();
  }

  @Test
  void saysUntilWhenAPodIsAlone() {
    StoredPod first = started("first", "densenet121");
    Instant until = bench.now.plus(TIME);
    assertThat(aloneUntil(first)).isEqualTo(until);

    bench.later(TIME);
    assertThat(aloneUntil(first)).as("not concluded").isEqualTo(until);
    measured.add("resnet50");
    bench.measure();
    assertThat(aloneUntil(bench.hold("known", "resnet50", 2))).isNull();
  }

  @Test
  void aLateStartLeavesLessTimeAlone() {
    StoredPod first = bench.hold("first", "densenet121", 1);
    Instant granted = bench.now;
    bench.later(Duration.ofMinutes(18));
    first.node = "n1";
    first.startedAt = bench.now;
    bench.change(first);

    assertThat(aloneUntil(first))
        .isEqualTo(granted.plus(Duration.ofMinutes(20)))
        .isBefore(bench.now.plus(TIME));
  }

  @Test
  void concludesOnceAlsoWithTheNextLeader() {
    started("first", "densenet121");
    bench.later(Duration.ofMinutes(2));
    bench.lead();
    StoredPod second = bench.hold("second", "densenet121", 1);
    assertThat(bench.codes(second)).containsExactly("ProfilingInProgress");

    bench.later(Duration.ofMinutes(3));
    measured.add("densenet121");
    bench.later(Duration.ofSeconds(3));
    assertThat(bench.events()).containsOnlyOnce("Profiled");
    bench.lead();
    bench.later(Duration.ofMinutes(1));

    assertThat(bench.events()).doesNotContain("Profiled");
    assertThat(tenants())
        .allSatisfy(tenant -> {
          assertThat(tenant.profiledUntil()).isNull();
          assertThat(tenant.utilization().upper().percent()).isEqualTo(23.0);
        });
  }

  @Test
  void opensTheGpuWithoutMeasurementsAndSaysSoOnce() {
    StoredPod first = started("first", "densenet121");
    bench.later(TIME);
    StoredPod second = bench.hold("second", "densenet121", 1);
    assertThat(bench.codes(second)).containsExactly("ProfilingNeedsFreeGpu");
    assertThat(tenants()).extracting(Tenant::profiledUntil).containsOnlyNulls();
    assertThat(first.annotations).doesNotContainKey(CotenantAnnotations.PROFILED);

    bench.later(Duration.ofMinutes(5));
    assertThat(first.annotation(CotenantAnnotations.PROFILED)).isEqualTo("unmeasured");
    assertThat(bench.events()).containsOnlyOnce("NotProfiled");
    bench.later(Duration.ofMinutes(5));
    assertThat(GateBench.gpu(second)).as("after max-wait it need not be alone").isEqualTo("GPU-1a");
    assertThat(second.annotations).doesNotContainKey(CotenantAnnotations.PROFILE_TIME);
    assertThat(bench.events()).containsOnlyOnce("NotProfiled");
  }

  @Test
  void sharesAtOnceWhatRanBefore() {
    measured.add("densenet121");

    assertThat(GateBench.gpu(bench.hold("first", "densenet121", 1))).isEqualTo("GPU-1a");
    assertThat(GateBench.gpu(bench.hold("second", "densenet121", 1))).isEqualTo("GPU-1a");
    StoredPod unknown = bench.hold("unknown", "resnet50", 1);
    assertThat(bench.codes(unknown)).containsExactly("ProfilingNeedsFreeGpu");
  }

  @Test
  void waitsAQuarterOfAnHourForAPodThatDoesNotStart() {
    StoredPod first = bench.hold("first", "densenet121", 1);
    measured.add("densenet121");
    bench.measure();
    StoredPod second = bench.hold("second", "densenet121", 1);
    bench.later(Duration.ofMinutes(9));
    first.node = "n1";
    bench.change(first);
    assertThat(bench.codes(second)).containsExactly("ProfilingInProgress");

    bench.later(Duration.ofMinutes(11));
    assertThat(GateBench.gpu(second)).isEqualTo("GPU-1a");
  }

  @Test
  void profilesNoServer() {
    StoredPod server = bench.serve("server", "densenet121", 1, Duration.ofSeconds(1));

    assertThat(GateBench.gpu(server)).isEqualTo("GPU-1a");
    assertThat(server.annotations).doesNotContainKey(CotenantAnnotations.PROFILE_TIME);
  }

  @ParameterizedTest
  @ValueSource(strings = {"999999999s", "99999999999999999999s", "-5s", "0s", "NaN", "", "5m"})
  void boundsWhatAnAnnotationSays(String time) {
    StoredPod first = started("first", "densenet121");
    first.annotations.put(CotenantAnnotations.PROFILE_TIME, time);
    bench.lead();

    Instant most = bench.now.plus(Duration.ofHours(1));
    assertThat(tenants())
        .allSatisfy(tenant ->
            assertThat(tenant.profiledUntil() == null || !tenant.profiledUntil().isAfter(most))
                .isTrue());
  }

  @Test
  void countsAClockThatRunsAheadAsALateStart() {
    StoredPod first = bench.hold("first", "densenet121", 1);
    Instant granted = bench.now;
    first.node = "n1";
    first.startedAt = bench.now.plus(Duration.ofDays(30));
    bench.change(first);

    assertThat(tenants())
        .extracting(Tenant::profiledUntil)
        .containsExactly(granted.plus(Duration.ofMinutes(20)));
  }
}
