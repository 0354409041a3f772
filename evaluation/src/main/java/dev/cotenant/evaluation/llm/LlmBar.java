package dev.cotenant.evaluation.llm;

import java.util.Locale;

/**
 * What a figure is to reach, the bar and a stretch beyond it.
 *
 * @param kind what the numbers limit
 * @param first of the bar: median error, or least coverage
 * @param second of the bar: 90th percentile of errors, or largest mean excess
 * @param stretchFirst of the stretch
 * @param stretchSecond of the stretch
 */
public record LlmBar(
    Kind kind, double first, double second, double stretchFirst, double stretchSecond) {
  /** What a bar limits. */
  public enum Kind {
    /** No bar. */
    NONE,
    /** Median and 90th percentile of errors. */
    ERRORS,
    /** The largest error. */
    EVERY_ROW,
    /** Coverage of a bound, in percent, and its mean excess. */
    BOUND,
    /** Share of jobs that ran out of memory and were predicted to, in percent. */
    CALLED
  }

  static final LlmBar NONE = new LlmBar(Kind.NONE, 0, 0, 0, 0);

  static LlmBar errors(double median, double high, double stretchMedian, double stretchHigh) {
    return new LlmBar(Kind.ERRORS, median, high, stretchMedian, stretchHigh);
  }

  static LlmBar bound(double excess, double stretch) {
    return new LlmBar(Kind.BOUND, 90, excess, 90, stretch);
  }

  boolean isReached(LlmFigures figures, boolean stretch) {
    double one = stretch ? stretchFirst : first;
    double two = stretch ? stretchSecond : second;
    return switch (kind) {
      case NONE -> true;
      case ERRORS -> figures.median() <= one && figures.high() <= two;
      case EVERY_ROW -> figures.worst() <= one;
      case BOUND -> figures.coverage() >= one && figures.excess() <= two;
      case CALLED -> figures.coverage() >= one && figures.excess() <= two;
    };
  }

  String text(boolean stretch) {
    double one = stretch ? stretchFirst : first;
    double two = stretch ? stretchSecond : second;
    return switch (kind) {
      case NONE -> "";
      case ERRORS -> number(one) + "/" + number(two);
      case EVERY_ROW -> "every row " + number(one);
      case BOUND -> ">= " + number(one) + " %, <= +" + number(two);
      case CALLED -> ">= " + number(one) + " %, none wrongly";
    };
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.3g", value)
        .replaceFirst("(\\.\\d*?)0+$", "$1")
        .replaceFirst("\\.$", "");
  }
}
