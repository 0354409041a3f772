package dev.cotenant.placement.search;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.RequestQueue;
import dev.cotenant.placement.search.Needs.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What one kind of service stands under Poisson arrivals. */
final class PoissonCurve {
  /*
   * For each largest batch the largest s at which requests are late no more often than they may, over
   * a: see PoissonNeeds. Points are found by bisection on a simulated queue, that of RequestQueue,
   * at their first use; the same arrivals serve all of them, enough for the share of late
   * requests to vary little. Between points it is a line.
   */
  private static final int REQUESTS = 30_000;
  private static final double LATE_SHARE = 0.0055;
  private static final int GRID = 8;
  private static final int BISECTIONS = 7;
  private static final double BATCH_STEP = 1.3;
  private static final int MAX_BATCH = 64;
  private static final double[] UNIT_ARRIVALS =
      RequestQueue.arrivals(Arrivals.POISSON, Milliseconds.PER_SECOND, REQUESTS, 20_221_201L);

  final WorkloadProfile profile;
  final double sloMillis;
  final double intervalMillis;
  final double load;
  final double feedback;
  final double leastFixed;
  final int[] batches;
  final double[][] slopes;

  PoissonCurve(DeviceProfile device, Kind kind, double unitPercent) {
    profile = kind.profile();
    sloMillis = kind.sloMillis();
    intervalMillis = Milliseconds.PER_SECOND / kind.requestsPerSecond();
    load = profile.inputBytes() / device.pcieBytesPerMillisecond();
    feedback = profile.outputBytes() / device.pcieBytesPerMillisecond();
    WorkloadProfile.ActiveTime time = profile.activeTime();
    double k3 = Math.min(time.k3(), 0);
    leastFixed =
        Math.max(0, profile.schedulingMillis() + time.k5() + k3 / (unitPercent + time.k4()));
    List<Integer> sizes = new ArrayList<>();
    double most = Math.clamp(sloMillis / 2 / intervalMillis + 2, 2, MAX_BATCH);
    for (double batch = 1; batch <= most; batch = Math.max(batch + 1, batch * BATCH_STEP)) {
      sizes.add((int) batch);
    }
    batches = sizes.stream().mapToInt(size -> size).toArray();
    slopes = new double[batches.length][GRID + 1];
    for (double[] row : slopes) {
      Arrays.fill(row, Double.NaN);
    }
  }

  /** The largest s for this batch; negative where there is none. */
  double most(int index, double fixed) {
    double step = (sloMillis / 2 - leastFixed) / GRID;
    double at = (fixed - leastFixed) / step;
    if (!(step > 0) || at >= GRID) {
      return -1;
    }
    int below = (int) Math.max(0, at);
    double weight = Math.max(0, at - below);
    double queue = (1 - weight) * point(index, below) + weight * point(index, below + 1);
    int batch = batches[index];
    double latency = (sloMillis / 2 - fixed) / batch - load;
    double rate = intervalMillis - fixed / batch;
    return Math.min(queue, Math.min(latency, rate));
  }

  private double point(int index, int grid) {
    double known = slopes[index][grid];
    if (Double.isNaN(known)) {
      double fixed = leastFixed + (sloMillis / 2 - leastFixed) / GRID * grid;
      known = bisect(batches[index], fixed);
      slopes[index][grid] = known;
    }
    return known;
  }

  private double bisect(int batch, double fixed) {
    double most = Math.min((sloMillis - fixed) - load, intervalMillis - fixed / batch);
    if (most <= 0 || !keeps(batch, fixed, 0)) {
      return -1;
    }
    double least = 0;
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = (least + most) / 2;
      if (keeps(batch, fixed, middle)) {
        least = middle;
      } else {
        most = middle;
      }
    }
    return least;
  }

  private boolean keeps(int batch, double fixed, double slope) {
    int late = 0;
    int lateAtMost = (int) (LATE_SHARE * REQUESTS);
    double free = 0;
    int next = 0;
    while (next < REQUESTS) {
      double start = Math.max(free, UNIT_ARRIVALS[next] * intervalMillis);
      int end = next + 1;
      int most = Math.min(REQUESTS, next + batch);
      while (end < most && UNIT_ARRIVALS[end] * intervalMillis <= start) {
        end++;
      }
      int size = end - next;
      free = start + fixed + slope * size;
      double latest = free + load * size - sloMillis;
      while (next < end) {
        late += UNIT_ARRIVALS[next] * intervalMillis < latest ? 1 : 0;
        next++;
      }
      if (late > lateAtMost) {
        return false;
      }
    }
    return true;
  }
}
