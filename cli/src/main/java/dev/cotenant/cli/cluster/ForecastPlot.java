package dev.cotenant.cli.cluster;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A series with the band of its forecast, as a drawing of its own (SVG): used memory as steps, then
 * from now to the horizon the expected peak and the bound.
 */
final class ForecastPlot {
  private static final double WIDTH = 960;
  private static final double HEIGHT = 360;
  private static final double LEFT = 70;
  private static final double RIGHT = 20;
  private static final double TOP = 40;
  private static final double BOTTOM = 40;
  private static final int GRID_LINES = 4;

  private final MemorySeries series;
  private final MemorySize capacity;
  private final String title;
  private final Instant start;
  private final double seconds;

  ForecastPlot(MemorySeries series, MemorySize capacity, String title, Duration horizon) {
    this.series = series;
    this.capacity = capacity;
    this.title = title;
    start = series.samples().getFirst().at();
    Instant end = series.samples().getLast().at().plus(horizon);
    seconds = Math.max(1, seconds(Duration.between(start, end)));
  }

  /** The drawing; without a band where the forecast abstains. */
  String toSvg(MemoryForecast forecast) {
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\""
                + " font-family=\"sans-serif\" font-size=\"12\">%n"
                + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
            WIDTH,
            HEIGHT));
    text(svg, LEFT, TOP - 16, "start", title);
    grid(svg);
    if (forecast.result() instanceof MemoryForecast.Applies applies) {
      band(svg, applies, forecast.horizon());
    }
    svg.append(
        "<polyline fill=\"none\" stroke=\"#1f5fa8\" stroke-width=\"1.5\" points=\""
            + steps()
            + "\"/>\n</svg>\n");
    return svg.toString();
  }

  private void grid(StringBuilder svg) {
    for (int i = 0; i <= GRID_LINES; i++) {
      double bytes = (double) capacity.bytes() * i / GRID_LINES;
      line(svg, LEFT, y(bytes), WIDTH - RIGHT, i == GRID_LINES ? "#a33" : "#ddd");
      text(
          svg,
          LEFT - 6,
          y(bytes) + 4,
          "end",
          String.format(Locale.ROOT, "%.1f GiB", MemorySize.ofBytesRoundedUp(bytes).toGiB()));
    }
    text(svg, LEFT, HEIGHT - BOTTOM + 18, "start", start.toString());
    text(
        svg,
        WIDTH - RIGHT,
        HEIGHT - BOTTOM + 18,
        "end",
        series.samples().getLast().at() + " and the horizon");
  }

  private void band(StringBuilder svg, MemoryForecast.Applies applies, Duration horizon) {
    Instant now = series.samples().getLast().at();
    double from = x(now);
    double to = x(now.plus(horizon));
    double last = (double) series.samples().getLast().used().bytes();
    double upper = (double) applies.peakUpper().bytes();
    double peak = (double) applies.peak().bytes();
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#f3b562\""
                + " fill-opacity=\"0.6\"/>%n",
            from,
            y(upper),
            to - from,
            Math.max(1, y(Math.min(last, upper)) - y(upper))));
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#c05a00\""
                + " stroke-dasharray=\"4 3\"/>%n",
            from,
            y(peak),
            to,
            y(peak)));
    text(
        svg,
        WIDTH - RIGHT,
        TOP - 16,
        "end",
        "peak "
            + applies.peak()
            + ", at most "
            + applies.peakUpper()
            + (applies.coverage() == null ? "" : " in " + applies.coverage() + " of cases"));
  }

  private String steps() {
    List<MemorySample> samples = series.samples();
    return samples.stream()
        .map(sample ->
            String.format(
                Locale.ROOT, "%.1f,%.1f", x(sample.at()), y((double) sample.used().bytes())))
        .collect(Collectors.joining(" "));
  }

  private static void line(StringBuilder svg, double x1, double y, double x2, String colour) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>%n",
            x1,
            y,
            x2,
            y,
            colour));
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#333\">%s</text>%n",
            x,
            y,
            anchor,
            escaped(text)));
  }

  private static String escaped(String text) {
    return text.replaceAll("\\p{C}", "?")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;");
  }

  private double x(Instant at) {
    double share = seconds(Duration.between(start, at)) / seconds;
    return LEFT + share * (WIDTH - LEFT - RIGHT);
  }

  private double y(double bytes) {
    double share = Math.min(1, bytes / (double) capacity.bytes());
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1_000.0;
  }
}
