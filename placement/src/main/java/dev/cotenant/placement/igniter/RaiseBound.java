package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;

/**
 * The least by which a newcomer makes everyone on a GPU be raised: what algorithm 2 finds is never
 * less, and rarely more.
 */
final class RaiseBound {
  /*
   * For each, the share at which it is in time while the shares of the others stay:
   *   t_load + (t_sch + k_act·(1 + α_cache·Σ_others c))·F/f + t_feedback ≤ T/2
   * solved for k_act, then for r. Shares only grow in algorithm 2, and with them all c and p,
   * so that in the end each needs at least as much. That takes k_act that falls with r, and c and p
   * that grow with b/k_act: where coefficients are not like that, the bound is 0.
   */
  private final DeviceProfile device;
  private final Share unit;
  private GpuLoad gpu = new GpuLoad();
  private double[] l2Percent = new double[8];
  private double[] activeMillis = new double[8];
  private double l2Sum;
  private double demandWatts;
  private boolean regular;

  RaiseBound(DeviceProfile device) {
    this.device = device;
    unit = Share.nearestToPercent(device.shareUnitPercent());
  }

  /** Selects the GPU of the following calls. */
  void on(GpuLoad load) {
    gpu = load;
    if (gpu.count() > l2Percent.length) {
      l2Percent = new double[2 * gpu.count()];
      activeMillis = new double[2 * gpu.count()];
    }
    l2Sum = 0;
    demandWatts = device.idlePowerWatts();
    regular = true;
    for (int i = 0; i < gpu.count(); i++) {
      Need need = gpu.need(i);
      activeMillis[i] = activeMillis(need, gpu.units(i));
      l2Percent[i] = l2Percent(need, activeMillis[i]);
      l2Sum += l2Percent[i];
      demandWatts += powerWatts(need, activeMillis[i]);
      regular &= isRegular(need);
    }
  }

  /** The units that those on the GPU need more beside a newcomer that draws at least so much. */
  int raiseOfTenants(double l2, double watts) {
    if (!regular) {
      return 0;
    }
    double stretch = stretch(demandWatts + watts);
    double delay = device.schedulingDelayMillis(gpu.count() + 1);
    int raised = 0;
    for (int i = 0; i < gpu.count(); i++) {
      Need need = gpu.need(i);
      double most = mostActiveMillis(need, delay, stretch, l2Sum - l2Percent[i] + l2);
      if (activeMillis[i] > most * (1 + Rounding.SLACK)) {
        raised += Math.max(0, units(need, most) - gpu.units(i));
      }
    }
    return raised;
  }

  /**
   * What the newcomer will find on the GPU; nothing that can be relied on where it is not regular.
   */
  Surroundings surroundings() {
    return regular ? new Surroundings(gpu.count(), l2Sum, demandWatts) : Surroundings.NONE;
  }

  /**
   * What a newcomer has around it at least.
   *
   * @param neighbours how many
   * @param l2Sum their L2 utilization, percent
   * @param demandWatts power demand of the GPU without the newcomer
   */
  record Surroundings(int neighbours, double l2Sum, double demandWatts) {
    static final Surroundings NONE = new Surroundings(0, 0, 0);
  }

  /** The units that the newcomer needs beyond its lower bound. */
  int raiseOf(Need newcomer, double watts, Surroundings around) {
    if (around.neighbours() == 0 || !isRegular(newcomer)) {
      return 0;
    }
    double delay = device.schedulingDelayMillis(around.neighbours() + 1);
    double stretch = stretch(around.demandWatts() + watts);
    double most = mostActiveMillis(newcomer, delay, stretch, around.l2Sum());
    return Math.max(0, units(newcomer, most) - newcomer.lowerUnits());
  }

  private double stretch(double watts) {
    double frequency = device.frequencyMegahertz(watts);
    return frequency > 0 ? device.maxFrequencyMegahertz() / frequency : Double.POSITIVE_INFINITY;
  }

  /** The active time alone with which it is just in time. */
  private double mostActiveMillis(Need need, double delay, double stretch, double others) {
    WorkloadProfile profile = need.profile();
    double bytes = (profile.inputBytes() + profile.outputBytes()) * need.batch();
    double gpuMillis = need.budgetMillis() - bytes / device.pcieBytesPerMillisecond();
    double scheduling = profile.schedulingMillis() + delay * profile.kernels();
    double slowed = 1 + profile.cacheSensitivity() * others;
    return slowed > 0 ? (gpuMillis / stretch - scheduling) / slowed : Double.POSITIVE_INFINITY;
  }

  /** The fewest units with which its active time is within {@code most}. */
  private int units(Need need, double most) {
    var time = need.profile().activeTime();
    double spare = most - time.k5();
    if (!(spare > 0)) {
      return unit.perGpu() + 1;
    }
    double percent = work(need) / spare - time.k4();
    double units = Math.ceil(percent / unit.percentOf(1) - Rounding.SLACK * unit.perGpu());
    return (int) Math.clamp(units, 0, unit.perGpu() + 1);
  }

  private static double work(Need need) {
    var time = need.profile().activeTime();
    double batch = need.batch();
    return time.k1() * batch * batch + time.k2() * batch + time.k3();
  }

  double activeMillis(Need need, int units) {
    return need.profile().activeTime().millis(need.batch(), unit.percentOf(units));
  }

  static double l2Percent(Need need, double activeMillis) {
    var demand = need.profile().demand();
    return demand.l2Slope() * Milliseconds.PER_SECOND * need.batch() / activeMillis
        + demand.l2Intercept();
  }

  static double powerWatts(Need need, double activeMillis) {
    var demand = need.profile().demand();
    return demand.powerSlope() * Milliseconds.PER_SECOND * need.batch() / activeMillis
        + demand.powerIntercept();
  }

  /** Whether its time falls and its demand grows with its share. */
  private static boolean isRegular(Need need) {
    var profile = need.profile();
    return profile.activeTime().k4() >= 0
        && work(need) > 0
        && profile.demand().powerSlope() >= 0
        && profile.demand().l2Slope() >= 0;
  }
}
