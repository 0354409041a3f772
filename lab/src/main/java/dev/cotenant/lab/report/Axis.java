package dev.cotenant.lab.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An axis with round ticks.
 *
 * @param title with its unit
 * @param scale of the axis
 * @param least value at its start
 * @param most value at its end, larger
 */
record Axis(String title, Scale scale, double least, double most) {
  private static final int TICKS = 5;

  /** How values are spread. */
  enum Scale {
    LINEAR,
    /** Of positive values. */
    LOGARITHMIC,
    /** Seconds, with ticks in seconds, minutes, hours or days. */
    TIME
  }

  private static final double[] TIME_STEPS = {
    1, 2, 5, 10, 20, 60, 120, 300, 600, 1_200, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400
  };

  Axis {
    if (!(most > least)) {
      most = least + 1;
    }
  }

  /** From 0 to a round number of at least this value. */
  static Axis fromZero(String title, double most) {
    double step = roundStep(most / TICKS);
    return new Axis(title, Scale.LINEAR, 0, step * Math.max(1, Math.ceil(most / step - 1e-9)));
  }

  /** Logarithmic where positive values spread over a decade or more, else linear. */
  static Axis spanning(String title, double least, double most) {
    boolean isWide = most >= 10 * least;
    return new Axis(title, isWide ? Scale.LOGARITHMIC : Scale.LINEAR, least, most);
  }

  /** Place of a value, 0 at the start and 1 at the end; values beyond stand at an end. */
  double place(double value) {
    double bounded = Math.clamp(value, least, most);
    return switch (scale) {
      case LINEAR, TIME -> (bounded - least) / (most - least);
      case LOGARITHMIC -> Math.log(bounded / least) / Math.log(most / least);
    };
  }

  List<Double> ticks() {
    List<Double> ticks = new ArrayList<>();
    if (scale == Scale.LOGARITHMIC) {
      int skip = Math.max(1, (int) Math.ceil(Math.log10(most / least) / TICKS));
      double decade = Math.pow(10, Math.ceil(Math.log10(least) - 1e-9));
      for (double at = decade; at <= most * (1 + 1e-9); at *= Math.pow(10, skip)) {
        ticks.add(at);
      }
      return ticks;
    }
    double step = scale == Scale.TIME ? timeStep() : roundStep((most - least) / TICKS);
    double first = Math.ceil(least / step - 1e-9) + 0.0; // no negative zero
    for (double i = first; i * step <= most + step * 1e-9; i++) {
      ticks.add(i * step);
    }
    return ticks;
  }

  private double timeStep() {
    for (double step : TIME_STEPS) {
      if ((most - least) / step <= TICKS + 1) {
        return step;
      }
    }
    double day = TIME_STEPS[TIME_STEPS.length - 1];
    return day * Math.max(1, Math.ceil(roundStep((most - least) / TICKS / day)));
  }

  private static double roundStep(double atLeast) {
    if (!(atLeast > 0)) {
      return 1;
    }
    double power = Math.pow(10, Math.floor(Math.log10(atLeast)));
    for (double factor : new double[] {1, 2, 5}) {
      if (factor * power >= atLeast * (1 - 1e-9)) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  String label(double tick) {
    return scale == Scale.TIME ? time(tick) : number(tick);
  }

  private String time(double seconds) {
    double step = timeStep();
    if (seconds == 0) {
      return "0";
    }
    if (step < 60) {
      return number(seconds) + " s";
    }
    if (step < 3_600) {
      return number(seconds / 60) + " min";
    }
    return step < 86_400 ? number(seconds / 3_600) + " h" : number(seconds / 86_400) + " d";
  }

  private static String number(double value) {
    if (value >= 1_000) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    String text = String.format(Locale.ROOT, "%.3f", value);
    return text.replaceAll("\\.?0+$", "");
  }
}
