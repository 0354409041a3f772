package dev.cotenant.placement.search;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Shares for requests that come as they like: 99 of 100 within the objective, queueing included.
 */
final class PoissonNeeds extends Needs {
  /*
   * A batch of k keeps the partition busy for a + s·k, nearly: a is what does not grow with the batch
   * (kernels' scheduling, k5 and k3), s what each request adds; both follow from the share and the
   * neighbours in closed form, and PoissonCurve says which s is too much for an a. The bend of the
   * active time counts as a slope where it makes batches slower and for nothing where it makes them
   * faster. Plans keep iGniter's own limits too: t_inf of the largest batch within half the objective,
   * and the rate.
   */
  private final List<PoissonCurve> curves = new ArrayList<>();

  /**
   * Needs under Poisson arrivals.
   *
   * @param known cache of curves, which is extended
   */
  PoissonNeeds(DeviceProfile device, List<Kind> kinds, Map<Kind, PoissonCurve> known) {
    super(device);
    for (Kind kind : kinds) {
      curves.add(
          known.computeIfAbsent(kind, each -> new PoissonCurve(device, each, unitPercent())));
    }
  }

  @Override
  void ask(int kind, double delayMillis, double othersPercent, double stretch) {
    units = NEVER;
    batch = 0;
    requestsPerSecond = Double.POSITIVE_INFINITY;
    PoissonCurve curve = curves.get(kind);
    WorkloadProfile profile = curve.profile;
    double waits = (profile.schedulingMillis() + delayMillis * profile.kernels()) * stretch;
    double slower = (1 + profile.cacheSensitivity() * othersPercent) * stretch;
    for (int index = 0; index < curve.batches.length; index++) {
      int most = Math.min(units, wholeUnits());
      if (!enough(curve, index, most, waits, slower)) {
        continue;
      }
      int least = 0;
      while (most - least > 1) {
        int middle = (least + most) >>> 1;
        if (enough(curve, index, middle, waits, slower)) {
          most = middle;
        } else {
          least = middle;
        }
      }
      take(curve, curve.batches[index], most);
    }
  }

  private boolean enough(PoissonCurve curve, int index, int share, double waits, double slower) {
    WorkloadProfile.ActiveTime time = curve.profile.activeTime();
    double percent = share * unitPercent() + time.k4();
    if (!(percent > 0)) {
      return false;
    }
    int largest = curve.batches[index];
    double fixed = waits + (time.k3() / percent + time.k5()) * slower;
    double bend = Math.max(0, time.k1()) * largest;
    double slope = (time.k2() + bend) / percent * slower + curve.feedback;
    return slope <= curve.most(index, fixed);
  }

  private void take(PoissonCurve curve, int largest, int share) {
    WorkloadProfile.ActiveTime time = curve.profile.activeTime();
    double active = time.millis(largest, Math.min(Share.WHOLE.percent(), share * unitPercent()));
    double rate = Milliseconds.PER_SECOND * largest / active;
    if (active > 0 && (share < units || rate < requestsPerSecond)) {
      units = share;
      batch = largest;
      requestsPerSecond = rate;
    }
  }

  @Override
  boolean keeps(int kind, Running running) {
    PoissonCurve curve = curves.get(kind);
    WorkloadProfile profile = curve.profile;
    double waits =
        (profile.schedulingMillis() + running.delayMillis() * profile.kernels())
            * running.stretch();
    double slower = (1 + profile.cacheSensitivity() * running.othersPercent()) * running.stretch();
    return running.batch() >= 1
        && enough(curve, indexAtMost(curve, running.batch()), running.units(), waits, slower);
  }

  /** Of the largest batch of the curve that is no larger: one that larger ones do not fill. */
  private static int indexAtMost(PoissonCurve curve, int batch) {
    int index = curve.batches.length - 1;
    while (index > 0 && curve.batches[index] > batch) {
      index--;
    }
    return index;
  }

  @Override
  int[] batches(int kind) {
    return curves.get(kind).batches;
  }

  @Override
  double leastRate(int kind, double delayMillis, double othersPercent, double stretch) {
    return 0;
  }

  @Override
  double leastRateWithin(int mostUnits) {
    return 0;
  }
}
