package dev.cotenant.placement.search;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.List;

/** Shares for requests at equal intervals: half the objective for a batch, and its rate. */
final class ConstantNeeds extends Needs {
  /*
   * A batch b must be done within T = min(SLO/2 − t_load, b/R) − t_feedback on the GPU, so that
   * k_act <= (T/stretch − sched − Δ·n_k)/(1 + α·others), which gives the share in closed form
   * [iGniter, equations 1-12 and 17]. Below the batch at which the two limits meet, which does not
   * depend on the neighbours, the rate binds and a larger batch needs less; above it the latency
   * binds and a larger batch needs more: what is best is next to it. Smaller batches draw less of
   * the neighbours at the same share, so that some of them are tried too; all are exact in the limit
   * FEWER = b.
   */
  static final int FEWER = 7;
  private static final int MORE = 1;
  private static final double ROUNDING = 1e-10;

  private final WorkloadProfile[] profiles;
  private final int[][] batches;
  private final double[][] work;
  private final double[][] budget;
  private final DeviceProfile device;
  private final Kind[] kinds;
  private int requested;
  private double askedWaits;
  private double askedSlower;
  private double askedStretch;

  ConstantNeeds(DeviceProfile device, List<Kind> kinds, int fewer) {
    super(device);
    this.device = device;
    this.kinds = kinds.toArray(Kind[]::new);
    profiles = new WorkloadProfile[kinds.size()];
    batches = new int[kinds.size()][];
    work = new double[kinds.size()][];
    budget = new double[kinds.size()][];
    for (int i = 0; i < profiles.length; i++) {
      prepare(device, kinds.get(i), i, fewer);
    }
  }

  private void prepare(DeviceProfile device, Kind kind, int i, int fewer) {
    WorkloadProfile profile = kind.profile();
    double perMilli = kind.requestsPerSecond() / Milliseconds.PER_SECOND;
    double load = profile.inputBytes() / device.pcieBytesPerMillisecond();
    double half = kind.sloMillis() / 2;
    double meet = Math.ceil(half * perMilli / (1 + perMilli * load));
    int appropriate = (int) Math.clamp(meet, 1, 1 << 20);
    int least = Math.max(1, appropriate - fewer);
    int count = appropriate + MORE - least + 1;
    profiles[i] = profile;
    batches[i] = new int[count];
    work[i] = new double[count];
    budget[i] = new double[count];
    for (int j = 0; j < count; j++) {
      int b = least + j;
      batches[i][j] = b;
      work[i][j] = work(profile, b);
      budget[i][j] = budgetMillis(kind, b);
    }
  }

  private static double work(WorkloadProfile profile, int batch) {
    WorkloadProfile.ActiveTime time = profile.activeTime();
    return time.k1() * batch * batch + time.k2() * batch + time.k3();
  }

  private double budgetMillis(Kind kind, int batch) {
    WorkloadProfile profile = kind.profile();
    double perMilli = kind.requestsPerSecond() / Milliseconds.PER_SECOND;
    double load = profile.inputBytes() / device.pcieBytesPerMillisecond();
    double feedback = profile.outputBytes() / device.pcieBytesPerMillisecond();
    return Math.min(kind.sloMillis() / 2 - load * batch, batch / perMilli) - feedback * batch;
  }

  @Override
  boolean keeps(int kind, Running running) {
    WorkloadProfile profile = profiles[kind];
    double waits = profile.schedulingMillis() + running.delayMillis() * profile.kernels();
    double slower = 1 + profile.cacheSensitivity() * running.othersPercent();
    double budgeted = budgetMillis(kinds[kind], running.batch()) / running.stretch();
    double left = (budgeted - waits) / slower - profile.activeTime().k5();
    double percent = work(profile, running.batch()) / left - profile.activeTime().k4();
    return left > 0 && percent / unitPercent() - ROUNDING <= running.units();
  }

  @Override
  int[] batches(int kind) {
    return batches[kind];
  }

  @Override
  void ask(int kind, double delayMillis, double othersPercent, double stretch) {
    units = NEVER;
    batch = 0;
    requestsPerSecond = Double.POSITIVE_INFINITY;
    WorkloadProfile profile = profiles[kind];
    WorkloadProfile.ActiveTime time = profile.activeTime();
    double waits = profile.schedulingMillis() + delayMillis * profile.kernels();
    double slower = 1 + profile.cacheSensitivity() * othersPercent;
    for (int j = 0; j < batches[kind].length; j++) {
      double left = (budget[kind][j] / stretch - waits) / slower - time.k5();
      if (left > 0) {
        double percent = work[kind][j] / left - time.k4();
        int needed = (int) Math.max(1, Math.ceil(percent / unitPercent() - ROUNDING));
        if (needed <= units) {
          take(kind, j, needed);
        }
      }
    }
  }

  @Override
  double leastRate(int kind, double delayMillis, double othersPercent, double stretch) {
    requested = kind;
    askedWaits = profiles[kind].schedulingMillis() + delayMillis * profiles[kind].kernels();
    askedSlower = 1 + profiles[kind].cacheSensitivity() * othersPercent;
    askedStretch = stretch;
    return leastRateWithin(NEVER);
  }

  @Override
  double leastRateWithin(int mostUnits) {
    int kind = requested;
    WorkloadProfile.ActiveTime time = profiles[kind].activeTime();
    double least = Double.POSITIVE_INFINITY;
    for (int j = 0; j < batches[kind].length; j++) {
      double left = (budget[kind][j] / askedStretch - askedWaits) / askedSlower - time.k5();
      if (left > 0) {
        double percent = work[kind][j] / left - time.k4();
        int needed = (int) Math.max(1, Math.ceil(percent / unitPercent() - ROUNDING));
        double active = work[kind][j] / (needed * unitPercent() + time.k4()) + time.k5();
        if (needed <= mostUnits) {
          least = Math.min(least, Milliseconds.PER_SECOND * batches[kind][j] / active);
        }
      }
    }
    return least;
  }

  private void take(int kind, int j, int needed) {
    double percent = needed * unitPercent();
    WorkloadProfile.ActiveTime time = profiles[kind].activeTime();
    double active = work[kind][j] / (percent + time.k4()) + time.k5();
    double rate = Milliseconds.PER_SECOND * batches[kind][j] / active;
    if (active > 0 && (needed < units || rate < requestsPerSecond)) {
      units = needed;
      batch = batches[kind][j];
      requestsPerSecond = rate;
    }
  }
}
