package dev.cotenant.placement.inss;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.partition.Inss;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.InssTimes;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.List;

/** The batch of one partition, its neighbours given [InSS, algorithm 1]. */
final class BatchSearch {
  /*
   * Latency, throughput and memory grow with the batch. Halving [1, 32]: beyond memory or objective,
   * smaller; else larger, and a candidate where it serves the rate. That is the largest batch that
   * fits in time, if it keeps up: the most throughput.
   *
   * A request's latency is that of the first of its batch when requests come evenly: behind `backlog`
   * others, and with what is left of the batch that began one interval ago.
   */
  static final int MAX_BATCH = 32;
  private final DeviceProfile device;
  private final int backlog;

  BatchSearch(DeviceProfile device, int backlog) {
    this.device = device;
    this.backlog = backlog;
  }

  /**
   * A partition whose batch is wanted or that is a neighbour.
   *
   * @param sharePercent its share
   * @param service whose objective, queueing included, and memory by batch
   * @param requestsPerSecond the rate to serve
   */
  record Wanted(
      WorkloadProfile profile, double sharePercent, Service service, double requestsPerSecond) {
    private double sloMillis() {
      return service.sloMillis();
    }
  }

  /**
   * What was found.
   *
   * @param batch 0 where there is none
   * @param leastMillis latency of a batch of one
   * @param mostPerSecond what the largest batch that fits in time serves, 0 where none is
   */
  record Found(int batch, double leastMillis, double mostPerSecond) {}

  /**
   * The largest batch that is in time, keeps up, and holds no more than {@code left}.
   *
   * @param left available memory of its GPU
   */
  Found find(List<Wanted> all, int index, MemorySize left) {
    Wanted own = all.get(index);
    List<Inss.Placed> placed = placed(all);
    int least = 1;
    int most = MAX_BATCH;
    int largest = 0;
    double served = 0;
    while (least <= most) {
      int middle = (least + most) / 2;
      double inference = inferenceMillis(placed, index, middle);
      boolean fits = own.service().memoryAt(middle).isAtMost(left);
      if (!fits || latencyMillis(own, middle, inference) > own.sloMillis()) {
        most = middle - 1;
      } else {
        served = Inss.throughputPerSecond(middle, inference);
        largest = served >= own.requestsPerSecond() ? middle : largest;
        least = middle + 1;
      }
    }
    double single = latencyMillis(own, 1, inferenceMillis(placed, index, 1));
    return new Found(largest, single, served);
  }

  /** The smallest batch that keeps up, if it is in time; 0 where it is not, or none keeps up. */
  int least(List<Wanted> all, int index) {
    Wanted own = all.get(index);
    List<Inss.Placed> placed = placed(all);
    int least = 1;
    int most = MAX_BATCH + 1;
    while (least < most) {
      int middle = (least + most) / 2;
      double served = Inss.throughputPerSecond(middle, inferenceMillis(placed, index, middle));
      if (served >= own.requestsPerSecond()) {
        most = middle;
      } else {
        least = middle + 1;
      }
    }
    boolean isKept =
        least <= MAX_BATCH
            && latencyMillis(own, least, inferenceMillis(placed, index, least)) <= own.sloMillis();
    return isKept ? least : 0;
  }

  private static List<Inss.Placed> placed(List<Wanted> all) {
    List<Inss.Placed> placed = new ArrayList<>();
    all.forEach(wanted -> placed.add(placed(wanted)));
    return placed;
  }

  private double inferenceMillis(List<Inss.Placed> placed, int index, int batch) {
    Inss.Placed own = placed.get(index);
    placed.set(index, new Inss.Placed(own.coefficients(), batch, own.sharePercent()));
    return Inss.latencyMillis(device, placed, index);
  }

  private double latencyMillis(Wanted own, int batch, double inferenceMillis) {
    double interval = Milliseconds.PER_SECOND / own.requestsPerSecond();
    double executing = Math.max(0, inferenceMillis - interval);
    return new Inss.Arrival(backlog + 1, executing, own.requestsPerSecond())
        .latencyMillis(batch, inferenceMillis);
  }

  /**
   * By the profile's own regression and L2; without them by iGniter's, with L2 at the batch that
   * fills in half the objective, so that none depends on another's.
   */
  private static Inss.Placed placed(Wanted wanted) {
    WorkloadProfile profile = wanted.profile();
    double share = wanted.sharePercent();
    InssTimes inss = profile.inss();
    if (inss != null) {
      return new Inss.Placed(
          new Inss.Coefficients(profile, inss.activeTime(), inss.l2Slope(), inss.l2Intercept()),
          1,
          share);
    }
    double filled = wanted.sloMillis() / 2 * wanted.requestsPerSecond() / Milliseconds.PER_SECOND;
    int batch = (int) Math.clamp(Math.ceil(filled), 1, MAX_BATCH);
    double rate = Milliseconds.PER_SECOND * batch / profile.activeTime().millis(batch, share);
    double l2 = profile.demand().l2Slope() * rate + profile.demand().l2Intercept();
    Inss.Coefficients coefficients =
        new Inss.Coefficients(profile, profile.activeTime()::millis, 0, l2);
    return new Inss.Placed(coefficients, batch, share);
  }
}
