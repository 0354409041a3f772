package dev.cotenant.cli.plan;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Table;
import dev.cotenant.engine.plan.PlanView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A plan for people. */
final class PlanTable {
  private static final double BYTES_PER_GIB = 1L << 30;

  private final Console console;

  PlanTable(Console console) {
    this.console = console;
  }

  void print(PlanView plan) {
    console.line(summary(plan));
    Table served =
        Table.of(
            ">gpu",
            "device",
            "workload",
            ">share %",
            ">batch",
            ">rate/s",
            ">latency ms",
            ">p99 ms",
            ">throughput/s",
            ">slack ms",
            "objective");
    Table trained = Table.of(">gpu", "device", "job", ">utilization %", ">peak GiB", ">asked GiB");
    boolean serves = false;
    boolean trains = false;
    for (PlanView.GpuEntry gpu : plan.gpus()) {
      gpu.workloads().forEach(workload -> row(served, gpu, workload));
      gpu.jobs().forEach(job -> row(trained, gpu, job));
      serves |= !gpu.workloads().isEmpty();
      trains |= !gpu.jobs().isEmpty();
    }
    if (serves) {
      served.print(console);
    }
    if (trains) {
      trained.print(console);
    }
    unplaced(plan);
    plan.notes().forEach(note -> console.line("note: " + note));
    console.line("");
  }

  /** Those with the same reasons together. */
  private void unplaced(PlanView plan) {
    Map<List<String>, List<String>> names = new LinkedHashMap<>();
    for (PlanView.UnplacedEntry entry : plan.unplaced()) {
      names.computeIfAbsent(entry.reasons(), _ -> new ArrayList<>()).add(entry.name());
    }
    names.forEach((reasons, who) ->
        console.line("no place for " + String.join(", ", who) + ": " + String.join("; ", reasons)));
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

  private static void row(Table table, PlanView.GpuEntry gpu, PlanView.WorkloadEntry workload) {
    table.row(
        Integer.toString(gpu.index()),
        gpu.device(),
        workload.name(),
        number(workload.sharePercent()),
        Integer.toString(workload.batchSize()),
        number(workload.requestRate()),
        number(workload.latencyMillis()),
        number(workload.p99Millis()),
        number(workload.throughput()),
        number(workload.slackMillis()),
        workload.meets() ? "kept" : "MISSED");
  }

  private static void row(Table table, PlanView.GpuEntry gpu, PlanView.JobEntry job) {
    table.row(
        Integer.toString(gpu.index()),
        gpu.device(),
        job.name(),
        number(job.utilizationPercent()),
        number(job.peakMemoryBytes() / BYTES_PER_GIB),
        number(job.requestedMemoryBytes() / BYTES_PER_GIB));
  }

  private static String number(@Nullable Double value) {
    return value == null ? "-" : String.format(Locale.ROOT, "%.1f", value);
  }
}
