package dev.cotenant.placement.inss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.InssTimes;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.solo.SoloPoint;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.MemoryByBatch;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.PlanFault;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MostThroughputTest {
  private static final ProfileBook BOOK = ProfileBook.builtIn();
  private static final String V100 = "v100-16gb";

  private static Service service(String name, String profile, double slo, double rate) {
    WorkloadProfile known = BOOK.workload(profile).orElseThrow();
    return new Service(name, slo, rate, null, Map.of(V100, known));
  }

  private static Fleet fleet(int gpus, List<FixedShare> placement, Service... services) {
    DeviceType type = new DeviceType(V100, MemorySize.ofGiB(16), 1, gpus, BOOK.requireDevice(V100));
    return new Fleet(List.of(type), List.of(services), List.of(), placement, Arrivals.CONSTANT);
  }

  private static double perSecond(Fleet fleet, FleetPlan plan) {
    return MostThroughput.perSecond(plan, new GpuEvaluation(fleet));
  }

  @Test
  void isCloseToTheBestOfAllSharesOfTwoServicesOnOneGpu() {
    Service[] services = {
      service("a", "alexnet", 25, 300), service("r", "resnet50", 60, 100),
    };
    double most = 0;
    for (int units = 1; units < 40; units++) {
      Fleet given =
          fleet(
              1,
              List.of(
                  new FixedShare(0, "a", Share.ofPercent(2.5 * units)),
                  new FixedShare(0, "r", Share.ofPercent(100 - 2.5 * units))),
              services);
      FleetPlan plan = new InssPlanner().plan(given);
      most = plan.unplaced().isEmpty() ? Math.max(most, perSecond(given, plan)) : most;
    }
    Fleet fleet = fleet(1, List.of(), services);

    FleetPlan plan = new MostThroughput().plan(fleet);

    assertThat(plan.unplaced()).isEmpty();
    assertThat(perSecond(fleet, plan)).isGreaterThan(0.9 * most).isLessThanOrEqualTo(most + 1e-9);
    assertThat(plan.notes().getLast()).startsWith("planned batches serve ");
  }

  /** Two that would each take the larger part of a GPU's memory for their largest batch. */
  @Test
  void keepsWithinMemoryThatGrowsWithTheBatch() {
    NavigableMap<Integer, MemorySize> points = new TreeMap<>();
    points.put(1, MemorySize.ofGiB(6));
    points.put(32, MemorySize.ofGiB(37));
    MemoryByBatch memory = new MemoryByBatch(points);
    Service a = service("a", "alexnet", 25, 300);
    Service r = service("r", "resnet50", 60, 100);
    Fleet free = fleet(1, List.of(), a, r);
    Fleet fleet = fleet(1, List.of(), a.with(memory), r.with(memory));
    FleetPlan unbound = new MostThroughput().plan(free);

    FleetPlan plan = new MostThroughput().plan(fleet);

    assertThat(plan.unplaced()).isEmpty();
    assertThat(new PlacementVerifier(fleet).ofServices(plan).faults()).isEmpty();
    assertThat(new PlacementVerifier(fleet).ofServices(unbound).faults())
        .singleElement()
        .isInstanceOf(PlanFault.MemoryExceeded.class);
    assertThat(perSecond(fleet, plan)).isLessThan(perSecond(free, unbound));
  }

  @Test
  void servesMoreOnMoreGpusAndFillsThem() {
    Service[] services = {
      service("a", "alexnet", 25, 300),
      service("r", "resnet50", 60, 100),
      service("v", "vgg19", 120, 60),
      service("s", "ssd", 150, 40),
    };
    double before = 0;
    for (int gpus = 1; gpus <= 3; gpus++) {
      Fleet fleet = fleet(gpus, List.of(), services);
      FleetPlan plan = new MostThroughput().plan(fleet);
      assertThat(plan.unplaced()).isEmpty();
      assertThat(plan.gpus()).hasSize(gpus);
      for (PlannedGpu gpu : plan.gpus()) {
        assertThat(
                gpu.partitions().stream().map(Partition::share).mapToDouble(Share::percent).sum())
            .isEqualTo(100);
      }
      assertThat(perSecond(fleet, plan)).isGreaterThan(before);
      before = perSecond(fleet, plan);
    }
  }

  @Test
  void batchesFollowTheMeasuredPoints() {
    WorkloadProfile slow = BOOK.workload("vgg19").orElseThrow();
    List<SoloPoint> points = new ArrayList<>();
    for (int batch : new int[] {1, 2, 8, 32}) {
      for (double share : new double[] {20, 40, 50, 80}) {
        points.add(new SoloPoint(batch, share, slow.activeTime().millis(batch, share) * 3));
      }
    }
    WorkloadProfile measured = slow.with(InssTimes.of(points, 0.2, 5));
    Service fast = service("v", "vgg19", 120, 60);
    Service real = new Service("v", 120, 60, null, Map.of(V100, measured));
    List<FixedShare> half = List.of(new FixedShare(0, "v", Share.ofPercent(50)));

    int guessed = batch(new InssPlanner().plan(fleet(1, half, fast)));
    int found = batch(new InssPlanner().plan(fleet(1, half, real)));

    assertThat(found).isPositive().isLessThan(guessed);
  }

  private static int batch(FleetPlan plan) {
    return plan.gpus().getFirst().partitions().getFirst().turns().getFirst().batch();
  }

  @Test
  void leavesOutWhatNoGpuServes() {
    FleetPlan plan =
        new MostThroughput()
            .plan(
                fleet(
                    1,
                    List.of(),
                    service("a", "alexnet", 25, 300),
                    service("too-much", "ssd", 60, 1e5),
                    new Service("unknown", 60, 10, null, Map.of())));

    assertThat(plan.unplaced())
        .extracting(unplaced -> unplaced.name())
        .containsExactlyInAnyOrder("too-much", "unknown");
  }

  @Test
  void needsANumberOfGpus() {
    Fleet fleet = fleet(Integer.MAX_VALUE, List.of(), service("a", "alexnet", 25, 300));

    assertThatThrownBy(() -> new MostThroughput().plan(fleet))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("--gpus");
  }

  @Test
  void throughputIsThatOfTheMeasuredPoints() {
    WorkloadProfile known = BOOK.workload("vgg19").orElseThrow();
    List<SoloPoint> points = new ArrayList<>();
    for (int batch : new int[] {1, 2, 8, 32}) {
      for (double share : new double[] {20, 40, 50, 80}) {
        points.add(new SoloPoint(batch, share, known.activeTime().millis(batch, share) * 3));
      }
    }
    WorkloadProfile measured = known.with(InssTimes.of(points, 0.2, 5));
    List<FixedShare> half = List.of(new FixedShare(0, "v", Share.ofPercent(50)));
    Fleet fast = fleet(1, half, service("v", "vgg19", 400, 20));
    Fleet slow = fleet(1, half, new Service("v", 400, 20, null, Map.of(V100, measured)));
    FleetPlan plan = new InssPlanner().plan(slow);

    assertThat(plan.unplaced()).isEmpty();
    assertThat(perSecond(fast, plan) / perSecond(slow, plan)).isBetween(2.5, 3.1);
  }

  @Test
  void manyServicesArePlannedInPartsAndTheSearchStopsAtItsLimit() {
    Service[] services = new Service[257];
    for (int i = 0; i < services.length; i++) {
      services[i] = service("a" + i, "alexnet", 25, 300);
    }
    assertThatThrownBy(() -> new MostThroughput().plan(fleet(2, List.of(), services)))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("at most 256 services")
        .hasMessageContaining("plan parts of it");

    FleetPlan plan = new MostThroughput().plan(fleet(1, List.of(), Arrays.copyOf(services, 64)));

    assertThat(plan.notes()).contains("the search stopped at its limit");
    assertThat(plan.gpus().getFirst().partitions()).isNotEmpty();
    assertThat(plan.unplaced()).isNotEmpty();
  }
}
