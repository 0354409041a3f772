package dev.cotenant.evaluation.steptime;

import java.util.EnumMap;
import java.util.Map;

/** Target figures of a protocol. Immutable. */
public record Bars(Map<StepTimeMetric, Double> byMetric) {
  public static final Bars NONE = new Bars(Map.of());

  public Bars {
    byMetric = Map.copyOf(byMetric);
  }

  static Bars mape(double percent) {
    return NONE.and(StepTimeMetric.MAPE, percent);
  }

  static Bars errors(double mape, double median, double within) {
    return mape(mape).and(StepTimeMetric.MEDIAN, median).and(StepTimeMetric.WITHIN, within);
  }

  static Bars bound(double coverage, double excess) {
    return NONE.and(StepTimeMetric.COVERAGE, coverage).and(StepTimeMetric.EXCESS, excess);
  }

  Bars and(StepTimeMetric metric, double value) {
    Map<StepTimeMetric, Double> more = new EnumMap<>(StepTimeMetric.class);
    more.putAll(byMetric);
    more.put(metric, value);
    return new Bars(more);
  }
}
