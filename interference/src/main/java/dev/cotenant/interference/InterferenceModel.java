package dev.cotenant.interference;

/**
 * Slowdown of workloads that share one GPU.
 *
 * <p>Implementations are pure: the same colocation gives the same answer. Outside its range a model
 * answers {@link Answer.Unavailable}, never a number without meaning.
 */
public interface InterferenceModel {
  /** Latency, throughput, slowdown and usage of each workload. */
  Answer answer(Colocation colocation);

  /**
   * How it answers about two and more workloads that share a whole GPU. A caller with thousands of
   * GPUs looks the sum up where it decides.
   */
  default OnWholeGpu onWholeGpu() {
    return new OnWholeGpu.Opaque();
  }

  /** How a model answers about workloads on a whole GPU. */
  sealed interface OnWholeGpu {
    /** It answers {@link Answer.Unavailable}. */
    record Unavailable() implements OnWholeGpu {}

    /** A curve over summed utilization, equal for all tenants except for rounding. */
    record SummedUtilization(SummedUtilizationCurve curve) implements OnWholeGpu {}

    /** In a way that the model does not disclose. */
    record Opaque() implements OnWholeGpu {}
  }
}
