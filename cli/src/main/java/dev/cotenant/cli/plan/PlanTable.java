package dev.cotenant.cli.plan;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.Table;
import dev.cotenant.engine.plan.PlanView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A plan for people. */
final class PlanTable {
  private static final Table<Served> SERVED =
      new Table<Served>()
          .number("gpu", row -> Integer.toString(row.gpu.index()))
          .text("device", row -> row.gpu.device())
          .text("workload", row -> row.workload.name())
          .number("share %", row -> number(row.workload.sharePercent()))
          .number("batch", row -> Integer.toString(row.workload.batchSize()))
          .number("rate/s", row -> number(row.workload.requestRate()))
          .number("latency ms", row -> number(row.workload.latencyMillis()))
          .number("p99 ms", row -> number(row.workload.p99Millis()))
          .number("throughput/s", row -> number(row.workload.throughput()))
          .number("slack ms", row -> number(row.workload.slackMillis()))
          .text("objective", row -> row.workload.meets() ? "met" : "missed");

  private static final Table<Trained> TRAINED =
      new Table<Trained>()
          .number("gpu", row -> Integer.toString(row.gpu.index()))
          .text("device", row -> row.gpu.device())
          .text("job", row -> row.job.name())
          .number("utilization %", row -> number(row.job.utilizationPercent()))
          .number("peak GiB", row -> number(row.job.peakMemoryBytes() / (double) MemorySize.GIB))
          .number(
              "requested GiB",
              row -> number(row.job.requestedMemoryBytes() / (double) MemorySize.GIB));

  private static final Table<PlanView> COMPARED =
      new Table<PlanView>()
          .text("strategy", PlanView::strategy)
          .number("missed", plan -> Integer.toString(plan.violations()))
          .number("unplaced", plan -> Integer.toString(plan.unplaced().size()))
          .number("GPUs", plan -> Integer.toString(plan.gpus().size()))
          .number("an hour", plan -> String.format(Locale.ROOT, "%.2f", plan.costPerHour()));

  /** By the workloads that it fails, then by its cost. */
  private static final Comparator<PlanView> BEST_FIRST =
      Comparator.<PlanView>comparingInt(plan -> plan.violations() + plan.unplaced().size())
          .thenComparingDouble(PlanView::costPerHour);

  private record Served(PlanView.GpuEntry gpu, PlanView.PlacedWorkload workload) {}

  private record Trained(PlanView.GpuEntry gpu, PlanView.PlacedJob job) {}

  private final Console console;

  PlanTable(Console console) {
    this.console = console;
  }

  void print(PlanView plan) {
    console.line(summary(plan));
    List<Served> served = new ArrayList<>();
    List<Trained> trained = new ArrayList<>();
    for (PlanView.GpuEntry gpu : plan.gpus()) {
      gpu.workloads().forEach(workload -> served.add(new Served(gpu, workload)));
      gpu.jobs().forEach(job -> trained.add(new Trained(gpu, job)));
    }
    if (!served.isEmpty()) {
      SERVED.print(served, console);
    }
    if (!trained.isEmpty()) {
      TRAINED.print(trained, console);
    }
    unplaced("", plan);
    plan.notes().forEach(note -> console.line("note: " + note));
    console.line("");
  }

  /** Plans of the same fleet, one a line, those first that serve the most for the least. */
  void compare(List<PlanView> plans) {
    COMPARED.print(plans.stream().sorted(BEST_FIRST).toList(), console);
    console.line("");
    for (PlanView plan : plans) {
      unplaced(plan.strategy() + ": ", plan);
    }
    console.line("'--strategy NAME' shows a whole plan.");
  }

  /** Groups unplaced workloads by reasons. */
  private void unplaced(String prefix, PlanView plan) {
    Map<List<String>, List<String>> names = new LinkedHashMap<>();
    for (PlanView.UnplacedEntry entry : plan.unplaced()) {
      names.computeIfAbsent(entry.reasons(), _ -> new ArrayList<>()).add(entry.name());
    }
    names.forEach((reasons, who) ->
        console.line(
            prefix + "unplaced: " + String.join(", ", who) + ": " + String.join("; ", reasons)));
  }

  private static String summary(PlanView plan) {
    Integer bound = plan.lowerBoundGpus();
    return String.format(
        Locale.ROOT,
        "%s: %d GPUs%s, %.2f an hour, %d predicted violations under %s arrivals, %d without a"
            + " place, %.1f ms",
        plan.strategy(),
        plan.gpus().size(),
        bound == null
            ? ""
            : " (with a partition for each service, no plan needs fewer than " + bound + ")",
        plan.costPerHour(),
        plan.violations(),
        plan.arrivals(),
        plan.unplaced().size(),
        plan.elapsedMillis());
  }

  private static String number(@Nullable Double value) {
    return value == null ? "-" : String.format(Locale.ROOT, "%.1f", value);
  }
}
