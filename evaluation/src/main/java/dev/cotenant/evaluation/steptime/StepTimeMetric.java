package dev.cotenant.evaluation.steptime;

import java.util.Locale;

/** A figure of predicted step times; all but the pinball loss in percent. */
public enum StepTimeMetric {
  /** Mean of |predicted / measured − 1|. */
  MAPE("mape_percent", false),
  /** Median of the same. */
  MEDIAN("median_percent", false),
  /** Share of rows within a factor of 1.3 either way. */
  WITHIN("within_1.3_percent", true),
  /** Share of rows at or below the upper bound. */
  COVERAGE("coverage_percent", true),
  /** Mean of bound / measured − 1. */
  EXCESS("excess_percent", false),
  /** Pinball loss of the bound at 0.9, on natural logarithms. */
  PINBALL("pinball", false);

  private final String key;
  private final boolean high;

  StepTimeMetric(String key, boolean high) {
    this.key = key;
    this.high = high;
  }

  /** Its name in JSON. */
  public String key() {
    return key;
  }

  /** Whether a value reaches a bar, both as printed: to a tenth. */
  public boolean reaches(double value, double bar) {
    double printed = Math.round(value * 10) / 10.0;
    return high ? printed >= bar : printed <= bar;
  }

  /** The bar with its direction. */
  String describe(double bar) {
    return (high ? ">= " : "<= ") + String.format(Locale.ROOT, "%.4g", bar);
  }
}
