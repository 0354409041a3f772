package dev.cotenant.benchmarks;

import java.util.Collection;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.results.RunResult;

/** Every sample's times in one table, with bars for the share of the goal. */
final class ResultTable {
  private static final int BAR_CELLS = 20;

  private final Map<Sample, Timing> extractions = new EnumMap<>(Sample.class);
  private final Map<Sample, Timing> optimizedLoads = new EnumMap<>(Sample.class);
  private final Map<Sample, Timing> plainLoads = new EnumMap<>(Sample.class);

  static ResultTable of(Collection<RunResult> results) {
    ResultTable table = new ResultTable();
    for (RunResult result : results) {
      String name = result.getParams().getBenchmark();
      String method = name.substring(name.lastIndexOf('.') + 1);
      boolean isExtraction = method.equals("readAndExtract");
      String label = result.getParams().getParam(isExtraction ? "model" : "weights");
      if (label == null) {
        continue; // not of a sample; JMH's own table shows it
      }
      table.add(method, Sample.of(label), Timing.of(result));
    }
    return table;
  }

  ResultTable add(String method, Sample sample, Timing timing) {
    Map<Sample, Timing> column =
        switch (method) {
          case "readAndExtract" -> extractions;
          case "loadOptimized" -> optimizedLoads;
          case "loadUnoptimized" -> plainLoads;
          default -> throw new IllegalArgumentException("no column for " + method);
        };
    column.put(sample, timing);
    return this;
  }

  /** Whether no sample was measured. */
  boolean isEmpty() {
    return extractions.isEmpty() && optimizedLoads.isEmpty() && plainLoads.isEmpty();
  }

  @Override
  public String toString() {
    StringBuilder table = new StringBuilder("\nFrom a file to its features, one warm thread");
    table.append(", a heap of 64 MiB; milliseconds\n\n");
    table.append(
        String.format(
            Locale.ROOT,
            "%-18s %9s %9s %6s  %-26s %10s%n",
            "sample",
            "median",
            "least",
            "goal",
            "share of the goal",
            "MB made"));
    extractions.forEach((sample, timing) -> table.append(row(sample, timing)));
    table.append(perNode());
    if (!optimizedLoads.isEmpty() || !plainLoads.isEmpty()) {
      table.append("\nONNX Runtime loading the same file (and how many times as long that is)\n\n");
      extractions.forEach((sample, timing) -> table.append(ratios(sample, timing)));
    }
    return table.toString();
  }

  private static String row(Sample sample, Timing timing) {
    boolean promised = sample.goalMilliseconds().isPresent();
    double goal = sample.goalMilliseconds().orElse(Double.NaN);
    return String.format(
        Locale.ROOT,
        "%-18s %9.3f %9.3f %6s  %-26s %10.2f%n",
        sample.label(),
        timing.median(),
        timing.least(),
        promised ? String.format(Locale.ROOT, "%.0f", goal) : "",
        promised ? bar(timing.median() / goal) : "",
        timing.allocatedBytes() / 1e6);
  }

  /** A bar that is full where the goal is reached. */
  static String bar(double share) {
    int full = Math.clamp(Math.round(share * BAR_CELLS), 0, BAR_CELLS);
    return "█".repeat(full)
        + "░".repeat(BAR_CELLS - full)
        + String.format(Locale.ROOT, " %3.0f %%", share * 100);
  }

  private String perNode() {
    StringJoiner costs = new StringJoiner(", ", "\nMicroseconds a node: ", "\n").setEmptyValue("");
    extractions.forEach((sample, timing) -> {
      if (sample.chainedNodes() > 0) {
        double cost = timing.median() * 1000 / sample.chainedNodes();
        costs.add(String.format(Locale.ROOT, "%s %.2f", sample.label(), cost));
      }
    });
    return costs.toString();
  }

  private String ratios(Sample sample, Timing timing) {
    Timing optimized = optimizedLoads.get(sample);
    Timing plain = plainLoads.get(sample);
    return optimized == null && plain == null
        ? ""
        : String.format(
            Locale.ROOT,
            "%-18s %-28s %s%n",
            sample.label(),
            "optimized " + ratio(optimized, timing),
            "not optimized " + ratio(plain, timing));
  }

  private static String ratio(@Nullable Timing load, Timing timing) {
    return load == null
        ? "not run"
        : String.format(
            Locale.ROOT, "%.0f (%.0f×)", load.median(), load.median() / timing.median());
  }
}
