package dev.cotenant.placement.serving;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.BatchTimes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What services need of a device alone, by their profiles: the least share in which an objective
 * stands a slowdown, and the slowdown that it stands in a share. Found once for equal services. Not
 * thread-safe.
 */
final class PartitionNeeds {
  /*
   * As iGniter's theorem 1 finds the least share that keeps an objective alone, with the queue of
   * requests in place of half the objective. A larger share is never slower, so that the least is
   * found by bisection; the slowdown is rounded up to hundredths.
   */
  private static final int LARGEST_BATCH = 64;
  private static final double BATCH_STEP = 1.3;
  private static final double HUNDREDTHS = 100;
  private static final double ROUNDING = 1e-9;

  private final DeviceProfile device;
  private final int units;
  private final Map<Key, Integer> least = new HashMap<>();
  private final Map<Placed, Double> stands = new HashMap<>();

  /**
   * A service of a rate.
   *
   * @param sloMillis the latency objective of a request
   */
  record Kind(WorkloadProfile profile, double sloMillis, double requestsPerSecond) {
    /** Largest batches worth trying, ascending. */
    List<Integer> batches() {
      List<Integer> batches = new ArrayList<>();
      double most = sloMillis / 2 * requestsPerSecond / Milliseconds.PER_SECOND + 2;
      for (double batch = 1;
          batch <= Math.min(most, LARGEST_BATCH);
          batch = Math.max(batch + 1, batch * BATCH_STEP)) {
        batches.add((int) batch);
      }
      return batches;
    }
  }

  /** A service in a partition of so many share units. */
  record Placed(Kind kind, int batch, int units) {}

  private record Key(Kind kind, int batch, int hundredths) {}

  PartitionNeeds(DeviceProfile device, int units) {
    this.device = device;
    this.units = units;
  }

  /**
   * The least share units in which the objective stands a slowdown; more than the device has where
   * none is enough.
   */
  int leastUnits(Kind kind, int batch, double slowdown) {
    int hundredths = (int) Math.ceil(slowdown * HUNDREDTHS - ROUNDING);
    return least.computeIfAbsent(
        new Key(kind, batch, hundredths), key -> bisect(key, hundredths / HUNDREDTHS));
  }

  private int bisect(Key key, double slowdown) {
    int few = 0;
    int enough = units + 1;
    while (enough - few > 1) {
      int middle = (few + enough) >>> 1;
      if (keeps(new Placed(key.kind(), key.batch(), middle), slowdown)) {
        enough = middle;
      } else {
        few = middle;
      }
    }
    return enough;
  }

  private boolean keeps(Placed placed, double slowdown) {
    BatchTimes times = times(placed);
    return times.latencyMillis(1) < Double.POSITIVE_INFINITY
        && new BulkQueue(BulkQueue.scaled(times, slowdown), placed.kind().requestsPerSecond())
            .keeps(placed.kind().sloMillis());
  }

  /** The largest slowdown with which the objective is met. */
  double stands(Placed placed) {
    return stands.computeIfAbsent(
        placed,
        each ->
            BulkQueue.largestFactor(
                times(each), each.kind().requestsPerSecond(), each.kind().sloMillis()));
  }

  /** Times alone in the partition; infinite where the profile gives none. */
  private BatchTimes times(Placed placed) {
    BatchTimes times = new BatchTimes(placed.batch());
    GpuState state = new GpuState(device, 1);
    double percent = placed.units() * device.shareUnitPercent();
    for (int k = 1; k <= placed.batch(); k++) {
      state.clear();
      WorkloadProfile profile = placed.kind().profile();
      state.placeProfiled(profile, k, percent);
      if (state.evaluate() != GpuState.Status.VALID) {
        return new BatchTimes(placed.batch());
      }
      times.set(
          k, state.latencyMillis(0), Milliseconds.PER_SECOND * k / state.throughputPerSecond(0));
    }
    return times;
  }
}
