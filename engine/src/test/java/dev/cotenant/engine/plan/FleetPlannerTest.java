package dev.cotenant.engine.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.plan.PlanView.GpuEntry;
import dev.cotenant.engine.plan.PlanView.PlacedWorkload;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Job;
import dev.cotenant.placement.fleet.JobPacker;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.fleet.Unplaced;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FleetPlannerTest {
  private static final Engine ENGINE = Engine.standard();
  private static final Path MODELS =
      Path.of(System.getProperty("cotenant.root"), "examples/models");
  private static final String SERVED =
      "{\"name\":\"w\",\"profile\":\"resnet50\",\"slo_latency_ms\":40,"
          + "\"request_rate_per_second\":200}";
  private static final String JOB = "{\"name\":\"j\",\"model\":\"resnet18\",\"batch_size\":8}";

  /** A GPU of its own for every service, at a batch of 4. */
  private record Alone(String name) implements ServicePlanner {
    @Override
    public FleetPlan plan(Fleet fleet) {
      String device = fleet.devices().getFirst().id();
      List<PlannedGpu> gpus = new ArrayList<>();
      for (Service service : fleet.services()) {
        Turn turn = new Turn(service.name(), 4, service.requestsPerSecond());
        gpus.add(PlannedGpu.serving(device, List.of(Partition.of(Share.ofPercent(50), turn))));
      }
      return FleetPlan.of(name, gpus, List.of());
    }
  }

  /** All jobs on one GPU. */
  private record Together(String name) implements JobPacker {
    @Override
    public FleetPlan pack(Fleet fleet) {
      String device = fleet.devices().getFirst().id();
      List<String> names = fleet.jobs().stream().map(Job::name).toList();
      return FleetPlan.of(name, List.of(PlannedGpu.training(device, names)), List.of());
    }
  }

  /** Nothing fits. */
  private record Never(String name) implements ServicePlanner {
    @Override
    public FleetPlan plan(Fleet fleet) {
      PlanReason reason = new PlanReason.CountLimit(fleet.devices().getFirst().id(), 1);
      return FleetPlan.of(
          name,
          List.of(),
          fleet.services().stream()
              .map(service -> new Unplaced(service.name(), List.of(reason)))
              .toList());
    }
  }

  private static FleetPlanner planning() {
    AtomicLong clock = new AtomicLong();
    Strategies strategies =
        new Strategies(
            List.of(new Alone("alone"), new Never("never")), List.of(new Together("together")));
    return new FleetPlanner(
        ENGINE, ProfileBook.builtIn(), strategies, () -> clock.getAndAdd(2_500_000));
  }

  private static List<PlanView> plan(String rest, String strategy) {
    byte[] json =
        ("{\"devices\":[{\"id\":\"v100\",\"price_per_hour\":3.06,\"max_count\":2}]," + rest + "}")
            .getBytes(StandardCharsets.UTF_8);
    ModelSource models =
        (model, batch) -> ENGINE.inspect(MODELS.resolve(model + ".onnx"), batch, Map.of());
    FleetPlanner planning = planning();
    return planning.plan(
        planning.understand(FleetDocument.of(json, "plan"), models, "plan"), strategy);
  }

  @Test
  void saysWhatIsPredictedUnderConstantArrivals() {
    PlanView plan =
        plan("\"workloads\":[" + SERVED + "],\"arrivals\":\"constant\"", "alone").getFirst();

    assertThat(plan.strategy()).isEqualTo("alone");
    assertThat(plan.arrivals()).isEqualTo("constant");
    assertThat(plan.costPerHour()).isEqualTo(3.06);
    assertThat(plan.violations()).isZero();
    assertThat(plan.elapsedMillis()).isEqualTo(2.5);
    PlacedWorkload workload = plan.gpus().getFirst().workloads().getFirst();
    double latency = workload.latencyMillis() == null ? 0 : workload.latencyMillis();
    assertThat(latency).isPositive();
    // A request waits for its batch as long as the batch may take.
    assertThat(workload.slackMillis()).isCloseTo(40 - 2 * latency, within(1e-9));
    assertThat(workload.p99Millis()).isNull();
    assertThat(workload.sharePercent()).isEqualTo(50);
  }

  @Test
  void simulatesRequestsUnderPoissonArrivals() {
    PlacedWorkload workload =
        plan("\"workloads\":[" + SERVED + "]", "alone")
            .getFirst()
            .gpus()
            .getFirst()
            .workloads()
            .getFirst();

    double p99 = workload.p99Millis() == null ? 0 : workload.p99Millis();
    double latency = workload.latencyMillis() == null ? 0 : workload.latencyMillis();
    assertThat(p99).isGreaterThan(latency / 2);
    assertThat(workload.slackMillis()).isCloseTo(40 - p99, within(1e-9));
    assertThat(workload.meets()).isEqualTo(p99 <= 40);
  }

  @Test
  void putsJobsOnGpusThatServicesLeave() {
    PlanView plan =
        plan("\"workloads\":[" + SERVED + "],\"jobs\":[" + JOB + "]", "alone").getFirst();

    assertThat(plan.gpus()).extracting(GpuEntry::index).containsExactly(0, 1);
    assertThat(plan.gpus().get(1).jobs()).extracting(PlanView.PlacedJob::name).containsExactly("j");
    assertThat(plan.costPerHour()).isEqualTo(6.12);
  }

  @Test
  void saysThatNoGpuIsLeftForJobs() {
    String other = SERVED.replace("\"w\"", "\"v\"");
    PlanView plan =
        plan("\"workloads\":[" + SERVED + "," + other + "],\"jobs\":[" + JOB + "]", "alone")
            .getFirst();

    assertThat(plan.unplaced()).extracting(PlanView.UnplacedEntry::name).containsExactly("j");
    assertThat(plan.unplaced().getFirst().reasons())
        .containsExactly("v100: all 2 are in use and no GPU has enough free capacity");
  }

  @Test
  void allAreThoseThatSaySomethingOfTheFleet() {
    assertThat(plan("\"workloads\":[" + SERVED + "]", "all"))
        .extracting(PlanView::strategy)
        .containsExactly("alone", "never");
    assertThat(plan("\"jobs\":[" + JOB + "]", "all"))
        .extracting(PlanView::strategy)
        .containsExactly("together");
    assertThat(plan("\"jobs\":[" + JOB + "],\"workloads\":[" + SERVED + "]", "all"))
        .extracting(PlanView::strategy)
        .containsExactly("alone", "never", "together");
  }

  @Test
  void listsWhatIsRefusedWithWhatHasNoPlace() {
    PlanView plan =
        plan("\"workloads\":[{\"name\":\"x\",\"profile\":\"ssd\"}," + SERVED + "]", "never")
            .getFirst();

    assertThat(plan.unplaced()).extracting(PlanView.UnplacedEntry::name).containsExactly("x", "w");
  }

  @Test
  void namesTheStrategiesThereAre() {
    assertThatThrownBy(() -> plan("\"workloads\":[" + SERVED + "]", "magic"))
        .isInstanceOf(InputException.class)
        .hasMessage("Unknown strategy 'magic': use one of alone, never, together, all.");
  }
}
