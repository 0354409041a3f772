package dev.cotenant.domain.workload;

/** How a model runs, apart from batch and device. */
public record RunSettings(ExecutionMode mode, Precision precision) {
  /** Training in fp32, what profiles are mostly measured with. */
  public static final RunSettings DEFAULT = new RunSettings(ExecutionMode.TRAINING, Precision.FP32);
}
