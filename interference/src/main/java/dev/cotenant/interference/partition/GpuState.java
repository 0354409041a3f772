package dev.cotenant.interference.partition;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.InssTimes;
import dev.cotenant.interference.profile.WorkloadProfile;

/**
 * iGniter's model of one GPU [iGniter, section 3.1]: latency, throughput, power, L2 and frequency
 * of any number of workloads in MPS partitions.
 *
 * <p>A reusable kernel: {@link #place} and {@link #evaluate} allocate nothing, so that a planner
 * may ask millions of times. Not thread-safe. Eight workloads take well below a microsecond.
 */
public final class GpuState {
  /*
   * t_load = d_load·b/B and t_feedback = d_feedback·b/B                               [equation 2]
   * Δ_sch = α_sch·n + β_sch for n > 1 workloads, the workload itself counted           [equation 6]
   * t_sch = k_sch·n_k + Δ_sch·n_k: the profile holds the product k_sch·n_k             [equation 5]
   * t_act = k_act·(1 + α_cache·Σ_others c)                                             [equation 8]
   * f = F, or F + α_f·(demand − P) where demand = p_idle + Σp exceeds P             [equations 9, 10]
   * t_gpu = (t_sch + t_act)/(f/F), t_inf = t_load + t_gpu + t_feedback, h = b/(t_gpu + t_feedback)
   * p and c are lines over 1000·b/k_act, k_act in ms.                                    [equation 4]
   * O(n) by subtracting each workload's own c from the sum.
   */

  /** Whether figures hold. */
  public enum Status {
    VALID,
    /** An active time is not positive: the coefficients do not reach this batch and share. */
    TIME_NOT_POSITIVE,
    /** The power demand would stop the clock: the coefficients do not reach this load. */
    FREQUENCY_NOT_POSITIVE,
    /** The shares add up to more than 100 %. */
    SHARES_EXCEEDED
  }

  private final DeviceProfile device;
  private final WorkloadProfile[] profiles;
  private final double[] batches;
  private final double[] shares;
  private final double[] activeMillis;
  private final double[] latencyMillis;
  private final double[] throughput;
  private final double[] l2Percent;
  private final boolean[] regressed;
  private int count;
  private double demandWatts;
  private double frequencyMegahertz;
  private double l2SumPercent;

  /**
   * @param device its coefficients
   * @param capacity the most workloads that will be placed
   */
  public GpuState(DeviceProfile device, int capacity) {
    this.device = device;
    profiles = new WorkloadProfile[capacity];
    batches = new double[capacity];
    shares = new double[capacity];
    activeMillis = new double[capacity];
    latencyMillis = new double[capacity];
    throughput = new double[capacity];
    l2Percent = new double[capacity];
    regressed = new boolean[capacity];
  }

  /** Removes every workload. */
  public void clear() {
    count = 0;
  }

  /** Adds a workload whose active time its profile gives. */
  public void place(WorkloadProfile profile, double batch, double sharePercent) {
    place(profile, batch, sharePercent, profile.activeTime().millis(batch, sharePercent));
  }

  /** Adds a workload whose active time alone is known otherwise. */
  public void place(
      WorkloadProfile profile, double batch, double sharePercent, double soloActiveMillis) {
    profiles[count] = profile;
    batches[count] = batch;
    shares[count] = sharePercent;
    activeMillis[count] = soloActiveMillis;
    regressed[count] = false;
    count++;
  }

  /**
   * Adds a workload as its profile knows it best: active time and L2 are InSS's regression and line
   * over the share where its points are known [InSS, section 4.1], else iGniter's.
   */
  public void placeProfiled(WorkloadProfile profile, double batch, double sharePercent) {
    place(profile, batch, sharePercent, profile.activeMillis(batch, sharePercent));
    regressed[count - 1] = profile.inss() != null;
  }

  /** Works out every figure; they may be read where the answer is {@code VALID}. */
  public Status evaluate() {
    double shareSum = 0;
    l2SumPercent = 0;
    demandWatts = device.idlePowerWatts();
    for (int i = 0; i < count; i++) {
      double active = activeMillis[i];
      if (!(active > 0)) {
        return Status.TIME_NOT_POSITIVE;
      }
      WorkloadProfile.Demand demand = profiles[i].demand();
      double rate = Milliseconds.PER_SECOND * batches[i] / active;
      l2Percent[i] = l2Percent(i, rate);
      demandWatts += demand.powerSlope() * rate + demand.powerIntercept();
      l2SumPercent += l2Percent[i];
      shareSum += shares[i];
    }
    if (shareSum > Share.WHOLE.percent() + Rounding.SLACK) {
      return Status.SHARES_EXCEEDED;
    }
    frequencyMegahertz = device.frequencyMegahertz(demandWatts);
    if (!(frequencyMegahertz > 0)) {
      return Status.FREQUENCY_NOT_POSITIVE;
    }
    double stretch = device.maxFrequencyMegahertz() / frequencyMegahertz;
    double delay = device.schedulingDelayMillis(count);
    for (int i = 0; i < count; i++) {
      finish(i, delay, stretch);
    }
    return Status.VALID;
  }

  private double l2Percent(int i, double rate) {
    InssTimes inss = profiles[i].inss();
    WorkloadProfile.Demand demand = profiles[i].demand();
    return inss != null && regressed[i]
        ? Math.max(0, inss.l2Slope() * shares[i] + inss.l2Intercept())
        : demand.l2Slope() * rate + demand.l2Intercept();
  }

  private void finish(int i, double delay, double stretch) {
    WorkloadProfile profile = profiles[i];
    double scheduling = profile.schedulingMillis() + delay * profile.kernels();
    double active =
        activeMillis[i] * (1 + profile.cacheSensitivity() * (l2SumPercent - l2Percent[i]));
    double bytesPerMilli = device.pcieBytesPerMillisecond();
    double feedback = profile.outputBytes() * batches[i] / bytesPerMilli;
    double gpu = (scheduling + active) * stretch;
    latencyMillis[i] = profile.inputBytes() * batches[i] / bytesPerMilli + gpu + feedback;
    throughput[i] = Milliseconds.PER_SECOND * batches[i] / (gpu + feedback);
  }

  /** How many workloads are placed. */
  public int count() {
    return count;
  }

  /** t_inf of the {@code i}th workload placed. */
  public double latencyMillis(int i) {
    return latencyMillis[i];
  }

  /** h of the {@code i}th workload placed, requests per second. */
  public double throughputPerSecond(int i) {
    return throughput[i];
  }

  /** c of the {@code i}th workload placed. */
  public double l2Percent(int i) {
    return l2Percent[i];
  }

  /** p_idle + Σp. */
  public double demandWatts() {
    return demandWatts;
  }

  /** f. */
  public double frequencyMegahertz() {
    return frequencyMegahertz;
  }
}
