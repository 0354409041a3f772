package dev.cotenant.cli.plan;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.text.Table;
import dev.cotenant.engine.fleet.FleetView;
import dev.cotenant.engine.fleet.FleetView.FleetChange;
import dev.cotenant.engine.fleet.FleetView.FleetStep;
import dev.cotenant.engine.fleet.FleetView.WatchedWorkload;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a watched fleet should run, for people. */
final class FleetTable {
  private static final Table<WatchedWorkload> WORKLOADS =
      new Table<WatchedWorkload>()
          .text("workload", WatchedWorkload::name)
          .number("rate/s", row -> number(row.observedRate()))
          .number("planned/s", row -> number(row.plannedRate()))
          .number("objective ms", row -> number(row.sloMillis()))
          .number("predicted p99 ms", row -> number(row.predictedP99Millis()))
          .number("measured p99 ms", row -> number(row.measuredP99Millis()))
          .number("measured/predicted", row -> ratio(row.drift()))
          .text("rate", row -> row.held() == null ? "used" : "held");

  private static final Table<FleetChange> CHANGES =
      new Table<FleetChange>()
          .text("change", FleetChange::kind)
          .text("workload", FleetChange::workload)
          .text("gpu", FleetChange::gpu)
          .text("what", FleetChange::what)
          .text("why", FleetChange::why);

  private final Console console;

  FleetTable(Console console) {
    this.console = console;
  }

  void print(FleetView view) {
    console.line(
        String.format(
            Locale.ROOT,
            "%s: %d GPUs, %s",
            view.at(),
            view.gpus().size(),
            view.changes().isEmpty() ? "nothing changes" : view.changes().size() + " changes"));
    WORKLOADS.print(view.workloads(), console);
    if (!view.changes().isEmpty()) {
      CHANGES.print(view.changes(), console);
      console.line("steps: " + steps(view.steps()));
    }
    for (WatchedWorkload workload : view.workloads()) {
      if (workload.held() != null) {
        console.line("held: " + workload.name() + ": " + workload.held());
      }
    }
    view.shortfalls().forEach(each -> console.line("short: " + each.sentence()));
    if (view.deferred()) {
      console.line("deferred: further changes wait: this period has no moves left");
    }
    if (view.period() == 1) {
      view.notes().forEach(note -> console.line("note: " + note));
    }
    console.line("");
  }

  private static String steps(List<FleetStep> steps) {
    return steps.stream()
        .map(step -> step.action() + " " + step.process() + place(step))
        .collect(Collectors.joining(", "));
  }

  private static String place(FleetStep step) {
    String gpu = step.gpu() == null ? "" : " on " + step.gpu();
    return step.sharePercent() == null
        ? gpu
        : gpu + " (" + number(step.sharePercent()) + " %, batch " + step.batch() + ")";
  }

  private static String ratio(@Nullable Double logarithm) {
    return logarithm == null ? "-" : String.format(Locale.ROOT, "%.2f", Math.exp(logarithm));
  }

  private static String number(@Nullable Double value) {
    return value == null ? "-" : String.format(Locale.ROOT, "%.1f", value);
  }
}
