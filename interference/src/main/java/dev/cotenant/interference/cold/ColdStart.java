package dev.cotenant.interference.cold;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.GraphFeatures;
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
  private static final double PERCENT = 100;
  private static final double MILLIS_PER_SECOND = 1000;
  private static final double KERNELS_A_LAYER = 1.5;
  private static final double KERNEL_MILLIS = 0.025;
  private static final double SCHEDULING_MILLIS = 0.0014;
  private static final double CACHE_SENSITIVITY = 0.0022;
  private static final double MOST_L2_PERCENT = 31;
  private static final double IDLE_SHARE = 1.0 / 6;
  private static final double OFFSET = 0.5;
  private static final double LOCAL = 0.15;
  private static final double TERA = 1e12;
  private static final double GIGA = 1e9;

  private ColdStart() {}

  /**
   * What a graph says of a workload.
   *
   * @param name the workload's name
   * @param flopsPerSample 2 × multiply-accumulates of one sample
   * @param activationBytesPerSample bytes of all layer outputs of one sample
   * @param parameterBytes bytes of the weights
   * @param kernels kernels of a batch
   */
  public record Work(
      String name,
      double flopsPerSample,
      double activationBytesPerSample,
      double parameterBytes,
      int kernels) {
    /** Of a graph at any batch. */
    public static Work of(String name, GraphFeatures features) {
      var model = features.model();
      int layers = model.layers().convolution() + model.layers().linear();
      return new Work(
          name,
          model.flops() / model.batchSize(),
          (double) model.activations().bytes() / model.batchSize(),
          model.modelSize().bytes(),
          (int) Math.max(1, Math.round(KERNELS_A_LAYER * layers)));
    }
  }

  /**
   * iGniter's coefficients.
   *
   * @param utilizationPercent predicted for the whole device alone
   */
  public static WorkloadProfile profile(Work work, Device device, double utilizationPercent) {
    double bandwidth = device.bandwidthGigabytesPerSecond() * GIGA;
    double arithmetic = work.flopsPerSample() / (device.peak().teraflops(Precision.FP32) * TERA);
    double movement = 2 * work.activationBytesPerSample() / bandwidth;
    double scale = MILLIS_PER_SECOND * PERCENT;
    double used = utilizationPercent / PERCENT;
    return new WorkloadProfile(
        work.name(),
        device.id().value(),
        new ActiveTime(
            0,
            scale * Math.max(arithmetic, movement),
            scale * work.parameterBytes() / bandwidth,
            0,
            KERNEL_MILLIS * work.kernels()),
        CACHE_SENSITIVITY,
        new Demand(
            0, used * device.boardPowerWatts() * (1 - IDLE_SHARE), 0, used * MOST_L2_PERCENT),
        work.kernels(),
        SCHEDULING_MILLIS * work.kernels(),
        0,
        0);
  }

  /** The guess, corrected by the runs there are; none is allowed. */
  public static SoloFit<MeasuredSolo> solo(WorkloadProfile guess, List<SoloPoint> measured) {
    return switch (SoloSurface.guessed(guess.activeTime()::millis, measured, OFFSET, LOCAL)) {
      case Fitted<SoloSurface>(SoloSurface surface) ->
          new Fitted<>(new MeasuredSolo(surface, null));
      case NotFitted<SoloSurface>(String reason) -> new NotFitted<>(reason);
    };
  }
}
