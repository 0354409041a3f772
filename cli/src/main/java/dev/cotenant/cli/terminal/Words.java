package dev.cotenant.cli.terminal;

import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.Serving;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How figures read in tables for people. */
public final class Words {
  private Words() {}

  /** {@code 81.3 % (65.0–97.2 % at 90 %)}: the mean and its bounds. */
  public static String of(UtilizationEstimate estimate) {
    return String.format(
        Locale.ROOT,
        "%.1f %% (%.1f–%.1f %%%s)",
        estimate.mean().percent(),
        estimate.lower().percent(),
        estimate.upper().percent(),
        coverage(estimate.coverage()));
  }

  /** {@code 7.25 GiB (6.1 GiB–8.4 GiB at 90 %)}, or {@code … 8.4 GiB, assumed)}. */
  public static String of(MemoryEstimate estimate) {
    return estimate.mean()
        + " ("
        + estimate.lower()
        + "–"
        + estimate.upper()
        + coverage(estimate.coverage())
        + ")";
  }

  /** {@code 12.1 ms (8.07–18.2 ms at 90 %)}. */
  public static String of(StepTimeEstimate estimate) {
    return Serving.text(1e3 * estimate.meanSeconds())
        + " ms ("
        + Serving.text(1e3 * estimate.lowerSeconds())
        + "–"
        + Serving.text(1e3 * estimate.upperSeconds())
        + " ms"
        + coverage(estimate.coverage())
        + ")";
  }

  /** {@code 173.6 (115.7–260.4 at 90 %)}. */
  public static String of(StepTimeEstimate.Capacity capacity) {
    return Serving.text(capacity.meanPerSecond())
        + " ("
        + Serving.text(capacity.lowerPerSecond())
        + "–"
        + Serving.text(capacity.upperPerSecond())
        + coverage(capacity.coverage())
        + ")";
  }

  /**
   * {@code utilization 543 cnn on a100-40gb; memory 9 on rtx-2080ti; time 4,381 timm}: rows and
   * groups of each bound.
   */
  public static String calibration(Prediction prediction) {
    StepTimeEstimate step = prediction.stepTime();
    return Stream.of(
            calibration("utilization", prediction.utilization().group()),
            calibration("memory", prediction.peakMemory().group()),
            calibration("time", step == null ? null : step.group()))
        .collect(Collectors.joining("; "));
  }

  private static String calibration(String target, @Nullable CalibrationGroup group) {
    return target + " " + (group == null ? "-" : count(group.rows()) + " " + group.name());
  }

  private static String coverage(@Nullable Coverage coverage) {
    return coverage == null ? ", assumed" : " at " + coverage;
  }

  /** {@code 4,089,184,256}. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
