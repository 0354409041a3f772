package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.evaluation.EvaluationRow;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The errors of a model card as a drawing (SVG): one line a split, one mark a model, RMSLE on a
 * logarithmic axis. Left is better.
 */
final class CardChart {
  private static final int WIDTH = 820;
  private static final int LEFT = 250;
  private static final int RIGHT = 30;
  private static final int TOP = 60;
  private static final int LINE_HEIGHT = 24;
  private static final int GAP = 50;
  private static final double AXIS_MIN = 0.02;
  private static final double AXIS_MAX = 1.0;
  private static final double[] TICKS = {0.02, 0.05, 0.1, 0.2, 0.5, 1.0};

  private static final String PREDICTOR_COLOUR = "#1f5fa8";
  private static final String PRIOR_COLOUR = "#7fb2e5";
  private static final String FOREST_COLOUR = "#c05a00";
  private static final String SIMPLE_COLOUR = "#999";

  private final CardTable table;
  private final StringBuilder svg = new StringBuilder();
  private int y = TOP;

  CardChart(CardTable table) {
    this.table = table;
  }

  /** The drawing; the same table gives the same text. */
  String toSvg() {
    legend();
    panel("Utilization", table.lines("utilization"));
    panel("Peak memory", table.lines("memory"));
    return String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                + " font-family=\"sans-serif\" font-size=\"12\">\n"
                + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH,
            y)
        + svg
        + "</svg>\n";
  }

  private void legend() {
    List<String> names = List.of("predictor", "prior alone", "random forest", "best baseline");
    List<String> colours = List.of(PREDICTOR_COLOUR, PRIOR_COLOUR, FOREST_COLOUR, SIMPLE_COLOUR);
    for (int i = 0; i < names.size(); i++) {
      double x = LEFT + 135.0 * i;
      mark(x, 20, colours.get(i));
      text(x + 10, 24, "start", names.get(i));
    }
  }

  private void panel(String title, List<CardTable.Line> lines) {
    int bottom = y + LINE_HEIGHT * lines.size();
    text(LEFT - 10, y - 10, "end", title + ", RMSLE");
    for (double tick : TICKS) {
      grid(x(tick), bottom);
      text(x(tick), bottom + 16, "middle", String.valueOf(tick));
    }
    for (CardTable.Line line : lines) {
      y += LINE_HEIGHT;
      double middle = y - LINE_HEIGHT / 2.0;
      text(LEFT - 10, middle + 4, "end", line.split().heldOut());
      mark(line.errors().simple(), middle, SIMPLE_COLOUR);
      mark(line.errors().forest(), middle, FOREST_COLOUR);
      mark(line.errors().prior(), middle, PRIOR_COLOUR);
      mark(line.predictor(), middle, PREDICTOR_COLOUR);
    }
    y += GAP;
  }

  private void grid(double x, int bottom) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>\n",
            x,
            y,
            x,
            bottom));
  }

  private void mark(@Nullable EvaluationRow figure, double middle, String colour) {
    if (figure != null) {
      mark(x(figure.value()), middle, colour);
    }
  }

  private void mark(double x, double middle, String colour) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n",
            x,
            middle,
            colour));
  }

  private void text(double x, double baseline, String anchor, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#333\">%s</text>\n",
            x,
            baseline,
            anchor,
            text));
  }

  /** Values beyond the axis stand at its end. */
  private static double x(double rmsle) {
    double share =
        Math.log(Math.clamp(rmsle, AXIS_MIN, AXIS_MAX) / AXIS_MIN) / Math.log(AXIS_MAX / AXIS_MIN);
    return LEFT + share * (WIDTH - LEFT - RIGHT);
  }
}
