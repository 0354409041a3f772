package dev.cotenant.lab.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * A drawing (SVG) with two axes. Colours are classes of the page: {@code s0} to {@code s11} for
 * policies.
 */
final class Plot {
  private static final int WIDTH = 440;
  private static final int HEIGHT = 270;
  private static final int LEFT = 52;
  private static final int RIGHT = 14;
  private static final int TOP = 14;
  private static final int BOTTOM = 42;

  /** Of a character of 12 px, about. */
  private static final double NAME_WIDTH = 6.2;

  private static final double NAME_HEIGHT = 13;

  private final String title;
  private final Axis across;
  private final Axis up;
  private final StringBuilder svg = new StringBuilder();

  Plot(String title, Axis across, Axis up) {
    this.title = title;
    this.across = across;
    this.up = up;
    grid();
  }

  /** A point in the units of the axes. */
  record Point(double across, double up) {}

  /**
   * Figures that hold until the next point, over time; nothing where all are 0.
   *
   * @param policies in colour order
   * @param lines their points, in seconds
   * @param end of the longest, in seconds
   */
  static String timeLine(
      String title, String unit, List<String> policies, List<List<Point>> lines, double end) {
    double most = lines.stream().flatMap(List::stream).mapToDouble(Point::up).max().orElse(0);
    if (most == 0) {
      return "";
    }
    Plot plot =
        new Plot(
            title + " (" + unit + ")",
            new Axis("time", Axis.Scale.TIME, 0, end),
            Axis.fromZero(unit, most));
    for (int i = 0; i < lines.size(); i++) {
      plot.line(i, policies.get(i), lines.get(i));
    }
    return plot.toHtml();
  }

  private void grid() {
    for (double tick : up.ticks()) {
      svg.append(line("grid", LEFT, y(tick), WIDTH - RIGHT, y(tick)));
      text("end", LEFT - 6, y(tick) + 4, up.label(tick));
    }
    for (double tick : across.ticks()) {
      double x = x(tick);
      svg.append(line("grid", x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 4));
      text(x > WIDTH - 30 ? "end" : "middle", x, HEIGHT - BOTTOM + 17, across.label(tick));
    }
    text("middle", (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6, across.title());
  }

  private static String line(String style, double... ends) {
    return String.format(
        Locale.ROOT,
        "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
        style,
        ends[0],
        ends[1],
        ends[2],
        ends[3]);
  }

  private void text(String anchor, double x, double y, String content) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
            x,
            y,
            anchor,
            Markup.escaped(content)));
  }

  /** A line of a policy, whose values hold until the next point. */
  void line(int colour, String name, List<Point> points) {
    StringBuilder path = new StringBuilder();
    for (Point point : points) {
      if (path.isEmpty()) {
        path.append(String.format(Locale.ROOT, "M%.1f %.1f", x(point.across()), y(point.up())));
      } else {
        path.append(String.format(Locale.ROOT, "H%.1fV%.1f", x(point.across()), y(point.up())));
      }
    }
    svg.append(
        "<path class=\"line s%d\" d=\"%s\"><title>%s</title></path>\n"
            .formatted(colour, path, Markup.escaped(name)));
  }

  /** A mark of a policy. */
  record Mark(int colour, String name, Point at) {}

  /** Marks with names, stacked where they would overlap. */
  void marks(List<Mark> marks) {
    List<Mark> upwards =
        marks.stream().sorted(Comparator.comparingDouble(mark -> mark.at().up())).toList();
    List<double[]> names = new ArrayList<>();
    for (Mark mark : upwards) {
      double x = x(mark.at().across());
      boolean isRight = x > (LEFT + WIDTH - RIGHT) / 2.0;
      double width = NAME_WIDTH * mark.name().length();
      double start = isRight ? x - 9 - width : x + 9;
      double baseline = y(mark.at().up()) + 4;
      while (overlaps(names, start, start + width, baseline)) {
        baseline -= 1;
      }
      names.add(new double[] {start, start + width, baseline});
      svg.append(line("leader", x, y(mark.at().up()), isRight ? x - 8 : x + 8, baseline - 4));
      circle(mark);
      text(isRight ? "end" : "start", isRight ? x - 9 : x + 9, baseline, mark.name());
    }
  }

  private static boolean overlaps(List<double[]> names, double start, double end, double baseline) {
    return names.stream()
        .anyMatch(
            name -> start < name[1] && end > name[0] && Math.abs(baseline - name[2]) < NAME_HEIGHT);
  }

  private void circle(Mark mark) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<circle class=\"mark s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"><title>%s: %.2f,"
                + " %.2f</title></circle>\n",
            mark.colour(),
            x(mark.at().across()),
            y(mark.at().up()),
            Markup.escaped(mark.name()),
            mark.at().across(),
            mark.at().up()));
  }

  private double x(double value) {
    return LEFT + across.place(value) * (WIDTH - LEFT - RIGHT);
  }

  private double y(double value) {
    return HEIGHT - BOTTOM - up.place(value) * (HEIGHT - TOP - BOTTOM);
  }

  /** A figure of a page, with its title. */
  String toHtml() {
    return "<figure><figcaption>%s</figcaption>\n".formatted(Markup.escaped(title))
        + "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n"
            .formatted(WIDTH, HEIGHT, Markup.escaped(title))
        + svg
        + "</svg></figure>\n";
  }
}
