package dev.cotenant.interference.cold;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.interference.partition.MeasuredSolo;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.profile.WorkloadProfile.ActiveTime;
import dev.cotenant.interference.profile.WorkloadProfile.Demand;
import dev.cotenant.interference.solo.SoloFit;
import dev.cotenant.interference.solo.SoloFit.Fitted;
import dev.cotenant.interference.solo.SoloFit.NotFitted;
import dev.cotenant.interference.solo.SoloPoint;
import dev.cotenant.interference.solo.SoloSurface;
import java.util.List;

/**
 * Coefficients of a workload that was never profiled, from its graph and its predicted utilization.
 *
 * <p>Times are within a factor of two or so; each measured run narrows them, and from seven on the
 * workload should be profiled properly.
 */
public final class ColdStart {
  /*
   * Roofline in iGniter's form: k2 = the longer of arithmetic at the peak rate and activations
   * written and read at the peak bandwidth, a sample; k3 = weights read once a batch; both times 100
   * since shares are percent; k1 = k4 = 0; k5 = KERNEL_MILLIS a kernel, kernels = 1.5 a convolution or
   * linear layer. Constants from the four V100 profiles of iGniter's authors: there k5/n_k is 0.017 to
   * 0.037 ms, k_sch 0.0009 to 0.0016 ms, α_cache 0.0020 to 0.0024 and solo L2 at most 31 %. Power is
   * the device's limit less an idle sixth, times the predicted utilization. The guess as a whole is
   * given a deviation of 50 %, from place to place 15 %.
   */
  private static final double KERNELS_A_LAYER = 1.5;
  private static final double KERNEL_MILLIS = 0.025;
  private static final double SCHEDULING_MILLIS = 0.0014;
  private static final double CACHE_SENSITIVITY = 0.0022;
  private static final double MAX_L2_PERCENT = 31;
  private static final double IDLE_SHARE = 1.0 / 6;

  /** Each layer's output is written once and read once. */
  private static final double ACTIVATION_PASSES = 2;

  private static final double OFFSET = 0.5;
  private static final double LOCAL = 0.15;
  private static final double TERA = 1e12;
  private static final double GIGA = 1e9;

  private ColdStart() {}

  /**
   * iGniter's coefficients.
   *
   * @param name the workload's name
   * @param utilizationPercent predicted for the whole device alone
   */
  public static WorkloadProfile profile(
      String name, GraphWork work, Device device, double utilizationPercent) {
    double bandwidth = device.bandwidthGigabytesPerSecond() * GIGA;
    double arithmetic = work.flopsPerSample() / (device.peak().teraflops(Precision.FP32) * TERA);
    double movement = ACTIVATION_PASSES * work.activationBytesPerSample() / bandwidth;
    double scale = Milliseconds.PER_SECOND * 100.0;
    double used = utilizationPercent / 100.0;
    int kernels = (int) Math.max(1, Math.round(KERNELS_A_LAYER * work.layers()));
    return new WorkloadProfile(
        name,
        device.id().value(),
        new ActiveTime(
            0,
            scale * Math.max(arithmetic, movement),
            scale * work.parameterBytes() / bandwidth,
            0,
            KERNEL_MILLIS * kernels),
        CACHE_SENSITIVITY,
        new Demand(0, used * device.boardPowerWatts() * (1 - IDLE_SHARE), 0, used * MAX_L2_PERCENT),
        kernels,
        SCHEDULING_MILLIS * kernels,
        0,
        0);
  }

  /**
   * Memory-bandwidth utilization alone on the whole device, 0 to 100: the share of the guessed
   * active time in which activations and weights are moved, while any kernel runs. Training does
   * both three times over, so that the share stays.
   *
   * @param utilizationPercent predicted for the whole device alone
   */
  public static double bandwidthPercent(
      GraphWork work, int batch, Device device, double utilizationPercent) {
    double bytes =
        ACTIVATION_PASSES * work.activationBytesPerSample() * batch + work.parameterBytes();
    double moving = Milliseconds.PER_SECOND * bytes / (device.bandwidthGigabytesPerSecond() * GIGA);
    double active = profile("", work, device, utilizationPercent).activeTime().millis(batch, 100.0);
    return utilizationPercent * Math.min(1, moving / active);
  }

  /** The guess, corrected by any measured runs. */
  public static SoloFit<MeasuredSolo> solo(WorkloadProfile guess, List<SoloPoint> measured) {
    return switch (SoloSurface.guessed(guess.activeTime()::millis, measured, OFFSET, LOCAL)) {
      case Fitted<SoloSurface>(SoloSurface surface) ->
          new Fitted<>(new MeasuredSolo(surface, null));
      case NotFitted<SoloSurface>(String reason) -> new NotFitted<>(reason);
    };
  }
}
