package dev.cotenant.domain.device;

import dev.cotenant.domain.workload.Precision;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Dense peak arithmetic rates in 10^12 floating-point operations per second, by the formats that
 * the hardware computes. Fp32 is always there; what has no hardware runs at its rate.
 *
 * @param byFormat rates by format; fp32 is that of vectors
 * @param fp32Matrix rate of fp32 in matrix cores; null where the hardware has none for fp32
 */
public record PeakRates(Map<Precision, Double> byFormat, @Nullable Double fp32Matrix) {
  /** Without matrix cores for fp32. */
  public PeakRates(Map<Precision, Double> byFormat) {
    this(byFormat, null);
  }

  public PeakRates {
    if (!byFormat.containsKey(Precision.FP32)) {
      throw new IllegalArgumentException("byFormat must have fp32, has " + byFormat.keySet());
    }
    byFormat.forEach((format, rate) -> requirePositive(format + "_teraflops", rate));
    if (fp32Matrix != null) {
      requirePositive("fp32_matrix_teraflops", fp32Matrix);
    }
    byFormat = Collections.unmodifiableMap(new EnumMap<>(byFormat));
  }

  static void requirePositive(String name, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(name + " must be positive and finite, is " + value);
    }
  }

  /** The rate of a format, or of fp32 where the hardware lacks it. */
  public double teraflops(Precision precision) {
    Double rate = byFormat.get(precision.arithmetic());
    return rate == null ? Objects.requireNonNull(byFormat.get(Precision.FP32)) : rate;
  }

  /** The rate of matrix products of a format, or of fp32 where the hardware lacks it. */
  public double matrixTeraflops(Precision precision) {
    Double matrix = fp32Matrix;
    return matrix != null && precision == Precision.FP32 ? matrix : teraflops(precision);
  }

  /** The formats that the hardware computes. */
  public Set<Precision> formats() {
    return byFormat.keySet();
  }

  /** Whether the hardware computes a precision's matrix products. */
  public boolean computes(Precision precision) {
    return byFormat.containsKey(precision.arithmetic());
  }
}
