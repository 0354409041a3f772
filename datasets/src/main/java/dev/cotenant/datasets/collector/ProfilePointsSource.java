package dev.cotenant.datasets.collector;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ProfilingRuns;
import dev.cotenant.domain.quantity.Milliseconds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads profile points of inference workloads on one device: the collector's {@code
 * profile-points.csv}, or a CSV of one's own with its columns. Each row is a workload at a batch
 * and an MPS share, alone or beside copies of itself.
 */
public final class ProfilePointsSource {
  private static final List<String> COLUMNS =
      List.of(
          "device",
          "model",
          "batch_size",
          "share_percent",
          "neighbours",
          "active_seconds",
          "kernels",
          "kernel_pause_mean_seconds",
          "input_bytes",
          "output_bytes",
          "power_mean_watts",
          "l2_utilization_percent");

  private static final int MAX_BATCH = 1 << 20;
  private static final int MAX_COPIES = 64;
  private static final double MAX_SECONDS = 3_600;
  private static final double MAX_BYTES = 1L << 40;
  private static final double MAX_WATTS = 10_000;
  private static final double MAX_MEGAHERTZ = 100_000;

  private final Path file;

  /**
   * What the file has.
   *
   * @param device of all rows
   * @param workloads by name
   * @param rejected rows, with file, line and reason
   */
  public record ProfilePoints(
      String device, List<ProfilingRuns.Workload> workloads, List<String> rejected) {
    public ProfilePoints {
      workloads = List.copyOf(workloads);
      rejected = List.copyOf(rejected);
    }
  }

  /** One row. */
  private record Point(
      String device,
      String model,
      String precision,
      int batch,
      double share,
      int neighbours,
      double activeMillis,
      @Nullable Double kernels,
      @Nullable Double pauseMillis,
      @Nullable Double inputBytes,
      @Nullable Double outputBytes,
      @Nullable Double watts,
      @Nullable Double megahertz,
      @Nullable Double l2Percent) {
    boolean isBesideOneAt(Point alone) {
      return neighbours == 1 && batch == alone.batch && share == alone.share;
    }
  }

  public ProfilePointsSource(Path file) {
    this.file = file;
  }

  /**
   * Reads all rows.
   *
   * @param mostMegahertz frequency of rows that state none
   * @throws InputException ({@code data-not-found}, {@code data-columns}, {@code data-malformed})
   */
  public ProfilePoints read(ToDoubleFunction<String> mostMegahertz) {
    List<Point> points = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    new DataFile(file).readTable(COLUMNS, row -> points.add(point(row)), rejected);
    TreeSet<String> devices = new TreeSet<>(points.stream().map(Point::device).toList());
    if (devices.size() != 1) {
      throw malformed(
          devices.isEmpty()
              ? "no usable row" + (rejected.isEmpty() ? "" : "; the first: " + rejected.getFirst())
              : "rows of several devices, " + String.join(", ", devices) + ": one file for each");
    }
    double frequency = mostMegahertz.applyAsDouble(devices.first());
    List<ProfilingRuns.Workload> workloads = new ArrayList<>();
    named(points).forEach((name, own) -> workloads.add(workload(name, own, frequency)));
    return new ProfilePoints(devices.first(), workloads, rejected);
  }

  /** By model, and by precision where a model was measured at several. */
  private static Map<String, List<Point>> named(List<Point> points) {
    Map<String, TreeSet<String>> precisions =
        points.stream()
            .collect(
                Collectors.groupingBy(
                    Point::model,
                    Collectors.mapping(Point::precision, Collectors.toCollection(TreeSet::new))));
    return points.stream()
        .collect(
            Collectors.groupingBy(
                point -> {
                  boolean several =
                      precisions.getOrDefault(point.model, new TreeSet<>()).size() > 1;
                  return (several ? point.model + "-" + point.precision : point.model)
                      .replaceAll("[^A-Za-z0-9._-]+", "-");
                },
                TreeMap::new,
                Collectors.toList()));
  }

  private static Point point(DataRow row) {
    if (row.has("status") && !row.text("status").equals("ok")) {
      throw new UnusableRowException("status is " + row.text("status"));
    }
    if (row.has("mps") && row.text("mps").equals("off")) {
      throw new UnusableRowException("measured without MPS shares");
    }
    return new Point(
        row.text("device"),
        row.text("model"),
        row.has("precision") ? row.text("precision") : "",
        (int) row.integer("batch_size", 1, MAX_BATCH),
        row.number("share_percent", 1, 100),
        (int) row.integer("neighbours", 0, MAX_COPIES),
        Milliseconds.PER_SECOND * row.number("active_seconds", 1e-9, MAX_SECONDS),
        optional(row, "kernels", MAX_BATCH),
        scaled(optional(row, "kernel_pause_mean_seconds", MAX_SECONDS)),
        optional(row, "input_bytes", MAX_BYTES),
        optional(row, "output_bytes", MAX_BYTES),
        optional(row, "power_mean_watts", MAX_WATTS),
        optional(row, "sm_clock_mean_megahertz", MAX_MEGAHERTZ),
        optional(row, "l2_utilization_percent", 100));
  }

  private static @Nullable Double optional(DataRow row, String column, double most) {
    return row.has(column) ? row.number(column, 0, most) : null;
  }

  private static @Nullable Double scaled(@Nullable Double seconds) {
    return seconds == null ? null : Milliseconds.PER_SECOND * seconds;
  }

  private ProfilingRuns.Workload workload(String name, List<Point> own, double frequency) {
    List<Point> alone = own.stream().filter(point -> point.neighbours == 0).toList();
    Point whole =
        alone.stream()
            .filter(point -> point.kernels != null)
            .max(
                Comparator.comparingDouble(Point::share)
                    .thenComparing(Comparator.comparingInt(Point::batch).reversed()))
            .orElseThrow(() -> malformed(name + " has no run alone with its kernels"));
    double kernels = require(whole.kernels, name, "kernels");
    double scheduling = kernels * require(whole.pauseMillis, name, "kernel_pause_mean_seconds");
    List<ProfilingRuns.Run> runs = new ArrayList<>();
    for (Point point : alone) {
      runs.add(
          new ProfilingRuns.Run(
              point.batch,
              point.share,
              point.activeMillis + scheduling,
              require(point.watts, name, "power_mean_watts"),
              point.megahertz == null ? frequency : point.megahertz,
              point.l2Percent));
    }
    return new ProfilingRuns.Workload(
        name,
        (int) kernels,
        require(whole.inputBytes, name, "input_bytes") / whole.batch,
        require(whole.outputBytes, name, "output_bytes") / whole.batch,
        scheduling,
        runs,
        beside(name, own, alone, frequency));
  }

  private ProfilingRuns.Beside beside(
      String name, List<Point> own, List<Point> alone, double frequency) {
    for (Point solo : alone) {
      for (Point point : own) {
        if (point.isBesideOneAt(solo) && solo.l2Percent != null) {
          return new ProfilingRuns.Beside(
              solo.activeMillis,
              point.activeMillis,
              point.megahertz == null ? frequency : point.megahertz,
              solo.l2Percent);
        }
      }
    }
    throw malformed(
        name
            + " has no run beside one copy of itself (neighbours 1) at a batch and share that was"
            + " measured alone with its L2 utilization");
  }

  private double require(@Nullable Double value, String name, String column) {
    if (value == null) {
      throw malformed(name + " has no " + column);
    }
    return value;
  }

  private InputException malformed(String why) {
    return InputException.malformed("data-malformed", file + ": " + why + ".");
  }
}
