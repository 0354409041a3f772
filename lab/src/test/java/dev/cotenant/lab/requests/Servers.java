package dev.cotenant.lab.requests;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.lab.requests.ServingSettings.Batching;
import dev.cotenant.lab.requests.ServingSettings.Control;
import dev.cotenant.lab.requests.ServingSettings.Late;
import dev.cotenant.lab.requests.ServingSettings.Traffic;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Turn;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Small servers for tests. */
final class Servers {
  static final String DEVICE = "gpu";
  static final Batching SERVE_ALL = new Batching(0, Late.SERVED);
  static final Control TWENTY_SECONDS =
      new Control(
          Duration.ofSeconds(1),
          0.3,
          Duration.ofSeconds(20),
          Duration.ofSeconds(10),
          Duration.ofSeconds(15));

  private Servers() {}

  /** A batch of k takes fixed + k · each milliseconds, whatever its neighbours do. */
  static BatchDurations linear(double fixed, double each) {
    return (gpu, running, partition) -> {
      Turn turn = gpu.partitions().get(partition).turns().get(running[partition]);
      BatchTimes times = new BatchTimes(turn.batch());
      for (int k = 1; k <= turn.batch(); k++) {
        times.set(k, fixed + k * each, fixed + k * each);
      }
      return times;
    };
  }

  static ServingSettings settings(BatchDurations durations, Batching batching, double seconds) {
    return settings(durations, batching, new Traffic(Arrivals.POISSON, seconds(seconds), 1));
  }

  static ServingSettings settings(BatchDurations durations, Batching batching, Traffic traffic) {
    return new ServingSettings(Map.of(DEVICE, 2), durations, batching, TWENTY_SECONDS, traffic);
  }

  static Duration seconds(double seconds) {
    return Duration.ofMillis(Math.round(1000 * seconds));
  }

  static PlannedGpu gpu(Partition... partitions) {
    return PlannedGpu.serving(DEVICE, List.of(partitions));
  }

  static Partition partition(double percent, Turn... turns) {
    return new Partition(Share.ofPercent(percent), List.of(turns));
  }

  static FleetPlan plan(PlannedGpu... gpus) {
    return FleetPlan.of("test", List.of(gpus), List.of());
  }

  /** One service on a whole GPU. */
  static FleetPlan whole(String service, int batch) {
    return plan(gpu(partition(100, new Turn(service, batch, 1))));
  }
}
