package dev.cotenant.lab.report;

import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.domain.quantity.Percent;
import dev.cotenant.lab.report.Axis.Scale;
import dev.cotenant.lab.report.Plot.Point;
import dev.cotenant.simulator.world.Observer.Sample;
import dev.cotenant.simulator.world.recorder.Distribution;
import dev.cotenant.simulator.world.recorder.RecordedRun;
import dev.cotenant.simulator.world.recorder.Recorder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The plots of runs of several policies on the same jobs.
 *
 * @param runs one of each policy; the order gives the colours
 */
record RunPlots(List<RecordedRun> runs) {
  RunPlots {
    runs = List.copyOf(runs);
  }

  /** Harm against density, time lines, distributions. */
  String toHtml() {
    return legend(policies())
        + "<div class=\"plots\">\n"
        + density()
        + timeLine("Mean utilization of GPUs", "%", Sample::utilizationPercent)
        + timeLine("Memory in use", "%", Sample::usedMemoryPercent)
        + timeLine("Jobs in the queue", "jobs", Sample::waiting)
        + timeLine("GPUs in use", "GPUs", Sample::busyGpus)
        + timeLine("Power", "kW", sample -> sample.watts() / 1_000)
        + spread("Waiting time", "seconds in the queue", Recorder::waiting)
        + spread("Slowdown", "time on GPUs over work alone", Recorder::slowdown)
        + spread("Completion time", "seconds from arrival to end", Recorder::completion)
        + "</div>\n";
  }

  private List<String> policies() {
    return runs.stream().map(RecordedRun::policy).toList();
  }

  /** The names of policies beside their colours. */
  static String legend(List<String> policies) {
    StringBuilder html = new StringBuilder("<ul class=\"legend\">\n");
    for (int i = 0; i < policies.size(); i++) {
      html.append(
          "<li><span class=\"s%d\"></span>%s</li>\n".formatted(i, Markup.escaped(policies.get(i))));
    }
    return html.append("</ul>\n").toString();
  }

  private String density() {
    double densest = runs.stream().mapToDouble(RecordedRun::jobsPerGpu).max().orElse(1);
    double worst = runs.stream().mapToDouble(run -> run.totals().harmedPercent()).max().orElse(0);
    Axis across = new Axis("jobs per GPU in use", Scale.LINEAR, 0.9, Math.max(2, 1.05 * densest));
    Plot plot =
        new Plot(
            "Job hours beside harm (%) against density",
            across, Axis.fromZero("%", Math.max(1, worst)));
    List<Plot.Mark> marks = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      RecordedRun run = runs.get(i);
      Point at = new Point(run.jobsPerGpu(), run.totals().harmedPercent());
      marks.add(new Plot.Mark(i, run.policy(), at));
    }
    plot.marks(marks);
    return plot.toHtml();
  }

  private String timeLine(String title, String unit, ToDoubleFunction<Sample> figure) {
    List<List<Point>> lines = new ArrayList<>();
    for (RecordedRun run : runs) {
      lines.add(
          run.recorder().samples().stream()
              .map(sample -> new Point(seconds(sample), figure.applyAsDouble(sample)))
              .toList());
    }
    double end = lines.stream().flatMap(List::stream).mapToDouble(Point::across).max().orElse(0);
    return Plot.timeLine(title, unit, policies(), lines, end);
  }

  private static double seconds(Sample sample) {
    return sample.at().toNanos() / Nanoseconds.PER_SECOND;
  }

  private String spread(String title, String unit, Function<Recorder, Distribution> of) {
    double least = Double.POSITIVE_INFINITY;
    double most = 0;
    for (RecordedRun run : runs) {
      for (Distribution.Point point : of.apply(run.recorder()).points()) {
        least = point.value() > 0 ? Math.min(least, point.value()) : least;
        most = Math.max(most, point.value());
      }
    }
    if (most == 0) {
      return "";
    }
    Axis across = Axis.spanning(unit, Math.max(least, most / 1e6) / 1.02, most * 1.02);
    Plot plot = new Plot(title + ", share of jobs (%)", across, Axis.fromZero("%", Percent.WHOLE));
    for (int i = 0; i < runs.size(); i++) {
      List<Point> points = new ArrayList<>();
      double share = 0;
      for (Distribution.Point point : of.apply(runs.get(i).recorder()).points()) {
        if (points.isEmpty()) {
          points.add(
              new Point(across.least(), point.value() > 0 ? share : Percent.WHOLE * point.share()));
        }
        share = Percent.WHOLE * point.share();
        points.add(new Point(point.value(), share));
      }
      plot.line(i, runs.get(i).policy(), points);
    }
    return plot.toHtml();
  }
}
