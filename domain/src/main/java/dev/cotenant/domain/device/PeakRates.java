package dev.cotenant.domain.device;

import dev.cotenant.domain.workload.Precision;

/**
 * Dense peak arithmetic rates in 10^12 floating-point operations per second. A format without
 * hardware of its own carries the rate of the format that computes it.
 */
public record PeakRates(
    double fp32Teraflops, double tf32Teraflops, double fp16Teraflops, double bf16Teraflops) {
  public PeakRates {
    requirePositive("fp32Teraflops", fp32Teraflops);
    requirePositive("tf32Teraflops", tf32Teraflops);
    requirePositive("fp16Teraflops", fp16Teraflops);
    requirePositive("bf16Teraflops", bf16Teraflops);
  }

  static void requirePositive(String name, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(name + " must be positive and finite, is " + value);
    }
  }

  public double teraflops(Precision precision) {
    return switch (precision) {
      case FP32 -> fp32Teraflops;
      case TF32 -> tf32Teraflops;
      case FP16, AMP -> fp16Teraflops;
      case BF16, AMP_BF16 -> bf16Teraflops;
    };
  }

  /** Whether the device computes the format in hardware of its own, at more than its fp32 rate. */
  public boolean computes(Precision precision) {
    return precision == Precision.FP32 || teraflops(precision) > fp32Teraflops;
  }
}
