package dev.cotenant.lab.report;

import dev.cotenant.domain.quantity.Percent;
import dev.cotenant.lab.report.Plot.Point;
import dev.cotenant.lab.requests.ServingTotals.Period;
import java.util.ArrayList;
import java.util.List;

/**
 * Time lines of runs of several policies on the same requests, a point for each period.
 *
 * @param runs one of each policy; the order gives the colours
 */
record ServingPlots(List<ServedRun> runs) {
  ServingPlots {
    runs = List.copyOf(runs);
  }

  /** A figure of a period that lasts so many seconds. */
  private interface Figure {
    double of(Period period, double seconds);
  }

  String toHtml() {
    return RunPlots.legend(policies())
        + "<div class=\"plots\">\n"
        + timeLine("Requests in time", "a second", (each, s) -> each.counts().inTime() / s)
        + timeLine(
            "Late and dropped requests",
            "%",
            (each, _) -> Percent.WHOLE * each.counts().violationShare())
        + timeLine("Shares in use, 100 a GPU", "%", (each, _) -> each.sharePercent())
        + timeLine("GPUs in use", "GPUs", (each, _) -> each.plan().gpus().size())
        + "</div>\n";
  }

  private List<String> policies() {
    return runs.stream().map(ServedRun::policy).toList();
  }

  private String timeLine(String title, String unit, Figure figure) {
    List<List<Point>> lines = runs.stream().map(run -> points(run, figure)).toList();
    double end = runs.stream().mapToDouble(run -> run.totals().seconds()).max().orElse(0);
    return Plot.timeLine(title, unit, policies(), lines, end);
  }

  private static List<Point> points(ServedRun run, Figure figure) {
    List<Period> periods = run.totals().periods();
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < periods.size(); i++) {
      Period period = periods.get(i);
      boolean isLast = i == periods.size() - 1;
      double end = isLast ? run.totals().seconds() : periods.get(i + 1).start();
      if (end > period.start()) {
        points.add(new Point(period.start(), figure.of(period, end - period.start())));
      }
    }
    return points;
  }
}
