package dev.cotenant.datasets.collector;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.domain.quantity.Utilization;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads what {@code datasets/collector/collect.py memory} has written: {@code memory.csv} and the
 * used-memory series that it names, one job's whole life each. Jobs of one model are one group.
 *
 * <p>A series that is missing, too short, out of order or above the device's memory is listed with
 * file, line and reason.
 */
public final class CollectorSeriesSource implements SeriesSource {
  public static final String FORMAT = "collector-series";

  /** The table of series. */
  public static final String TABLE = "memory.csv";

  private static final List<String> COLUMNS =
      List.of("session", "job", "status", "message", "series");
  private static final List<String> SAMPLE_COLUMNS =
      List.of("timestamp_seconds", "used_memory_bytes", "capacity_bytes");
  private static final int MIN_SAMPLES = 12;
  private static final long MAX_BYTES = 1L << 44;
  private static final double LATEST_SECONDS = 5e9;

  private final Path directory;

  /**
   * @param directory the folder that the collector wrote
   */
  public CollectorSeriesSource(Path directory) {
    this.directory = directory;
  }

  /** The hash is of the table and of every series that was read. */
  @Override
  public Result read() {
    DataFile table = new DataFile(directory.resolve(TABLE));
    List<RecordedDevice> devices = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    List<Path> files = new ArrayList<>(List.of(table.path()));
    table.readTable(
        COLUMNS,
        row -> {
          Path file = series(row);
          devices.add(device(row, file));
          files.add(file);
        },
        rejected);
    if (devices.isEmpty()) {
      throw InputException.malformed("series-empty", table.path() + " names no usable series.");
    }
    return new Result(FORMAT, devices, rejected, DataFile.sha256(files));
  }

  /** The devices by the names of series, as the table states them. */
  public Map<String, String> devices() {
    Map<String, String> devices = new HashMap<>();
    forEachRow(row -> {
      if (row.has("device")) {
        devices.put(name(row), row.text("device"));
      }
    });
    return devices;
  }

  /**
   * Mean utilization of each job alone, from {@code solo.csv} in the same folder; empty without
   * that file.
   */
  public Map<String, Utilization> meanUtilizations() {
    Map<String, TrainingPair.Usage> alone =
        new CollectorPairsSource(directory.resolve(CollectorPairsSource.TABLE)).usages();
    Map<String, Utilization> means = new HashMap<>();
    forEachRow(row -> {
      TrainingPair.Usage usage = alone.get(row.textOrEmpty("job"));
      if (usage != null) {
        means.put(name(row), Utilization.ofPercent(usage.utilizationPercent()));
      }
    });
    return means;
  }

  private void forEachRow(Consumer<DataRow> use) {
    new DataFile(directory.resolve(TABLE)).readTable(COLUMNS, use, new ArrayList<>());
  }

  private static String name(DataRow row) {
    return FORMAT + ":" + row.text("session") + ":" + row.line();
  }

  private Path series(DataRow row) {
    String status = row.text("status");
    if (!status.equals("ok")) {
      throw new UnusableRowException(status + ": " + row.textOrEmpty("message"));
    }
    Path file = directory.resolve(row.text("series")).normalize();
    if (!file.startsWith(directory.normalize())) {
      throw row.bad("series", "the path of a file below the folder");
    }
    if (!Files.isRegularFile(file)) {
      throw new UnusableRowException("series " + row.text("series") + " is missing");
    }
    return file;
  }

  private static RecordedDevice device(DataRow row, Path file) {
    CollectedJob job = CollectedJob.parse(row.text("job"));
    Samples samples = new Samples();
    List<String> problems = new ArrayList<>();
    try {
      new DataFile(file).readTable(SAMPLE_COLUMNS, samples::add, problems);
    } catch (InputException e) {
      throw new UnusableRowException(e.getMessage());
    }
    if (!problems.isEmpty()) {
      throw new UnusableRowException("series " + problems.getFirst());
    }
    if (samples.samples.size() < MIN_SAMPLES) {
      throw new UnusableRowException(
          "series "
              + row.text("series")
              + " has "
              + samples.samples.size()
              + " samples, at least "
              + MIN_SAMPLES
              + " are needed");
    }
    return new RecordedDevice(
        name(row), job.model(), new MemorySeries(samples.samples), samples.capacity);
  }

  private static final class Samples {
    private final List<MemorySample> samples = new ArrayList<>();
    private MemorySize capacity = MemorySize.ZERO;

    void add(DataRow row) {
      double seconds = row.number("timestamp_seconds", 0, LATEST_SECONDS);
      Instant at =
          Instant.EPOCH.plus(Duration.ofNanos(Math.round(seconds * Nanoseconds.PER_SECOND)));
      if (!samples.isEmpty() && !at.isAfter(samples.getLast().at())) {
        throw row.bad("timestamp_seconds", "later than the one before");
      }
      capacity = MemorySize.ofBytes(row.integer("capacity_bytes", 1, MAX_BYTES));
      long used = row.integer("used_memory_bytes", 0, capacity.bytes());
      samples.add(new MemorySample(at, MemorySize.ofBytes(used)));
    }
  }
}
