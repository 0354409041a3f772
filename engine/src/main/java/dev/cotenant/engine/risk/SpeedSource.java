package dev.cotenant.engine.risk;

/** Where a measured speed comes from, the most trusted first. */
public enum SpeedSource {
  /** Steps or samples a second, as a pod or its metric states them. */
  PROGRESS("progress", SpeedMemory.NOISE, false),
  /** One over the duration of a completed run of a recurring job. */
  DURATION("durations of runs", 0.05, false),
  /** Memory traffic of the whole GPU: bytes per step do not depend on neighbours. */
  DRAM_ACTIVITY("memory activity of the GPU", 0.05, true),
  /** Active SMs of the whole GPU. */
  SM_ACTIVITY("SM activity of the GPU", 0.05, true),
  /** Power of the whole GPU above its idle power. */
  POWER("power of the GPU", 0.05, true);

  private final String label;
  private final double noise;
  private final boolean isOfGpu;

  SpeedSource(String label, double noise, boolean isOfGpu) {
    this.label = label;
    this.noise = noise;
    this.isOfGpu = isOfGpu;
  }

  /** In words. */
  public String label() {
    return label;
  }

  /**
   * Standard deviation of the logarithm of a measurement; of a GPU's activity before calibration.
   */
  double noise() {
    return noise;
  }

  /**
   * Whether it is the GPU's and not the pod's: all tenants together over what each takes alone. It
   * counts only once it is calibrated against speeds of pods.
   */
  public boolean isOfGpu() {
    return isOfGpu;
  }
}
