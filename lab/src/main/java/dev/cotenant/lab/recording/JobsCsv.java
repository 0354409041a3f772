package dev.cotenant.lab.recording;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.simulator.replay.RecordedJob;
import dev.cotenant.simulator.replay.RecordedJob.Allocation;
import dev.cotenant.simulator.replay.RecordedJob.Extent;
import dev.cotenant.simulator.replay.RecordedJob.Origin;
import dev.cotenant.simulator.replay.RecordedJob.Times;
import dev.cotenant.simulator.replay.RecordedJob.Usage;
import dev.cotenant.simulator.replay.Recording;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table of jobs in CSV, plain or gzipped. Required columns: {@code submit_seconds}, {@code
 * end_seconds} (seconds since 1970 or any other instant), {@code gpus}, {@code device}. Optional
 * ones, whose cells may be empty: {@code name}, {@code namespace}, {@code model} (or image: what
 * recurs), {@code start_seconds} (else the submission), {@code requested_memory_bytes}, {@code
 * peak_memory_bytes}, {@code utilization_percent}.
 */
public final class JobsCsv {
  private static final String SUBMIT = "submit_seconds";
  private static final String START = "start_seconds";
  private static final String END = "end_seconds";
  private static final String GPUS = "gpus";
  private static final String DEVICE = "device";
  private static final List<String> REQUIRED = List.of(SUBMIT, END, GPUS, DEVICE);
  private static final long MAX_GPUS = 1024;
  private static final double MAX_BYTES = 1L << 44;
  private static final double MILLIS = 1_000;

  private final DataFile file;
  private final DeviceCatalogue devices;
  private final Instant now;

  /** A table that was read. */
  public record Result(Recording recording, List<String> rejected) {}

  /**
   * @param now later times are refused
   */
  public JobsCsv(Path path, DeviceCatalogue devices, Instant now) {
    file = new DataFile(path);
    this.devices = devices;
    this.now = now;
  }

  /**
   * Reads everything; rows that cannot be used are listed with file, line and reason.
   *
   * @throws dev.cotenant.domain.InputException where the file is missing or not such a table
   */
  public Result read() {
    List<RecordedJob> jobs = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    file.readTable(REQUIRED, row -> jobs.add(job(row)), rejected);
    List<Recording.Finding> findings =
        rejected.isEmpty()
            ? List.of()
            : List.of(new Recording.Finding(rejected.size(), "row", "left out"));
    return new Result(new Recording(file.name(), jobs, Map.of(), findings), rejected);
  }

  private RecordedJob job(DataRow row) {
    return new RecordedJob(
        new Origin(text(row, "namespace"), text(row, "name"), text(row, "model")),
        times(row),
        new Allocation((int) row.integer(GPUS, 1, MAX_GPUS), device(row).id()),
        new Usage(
            bytes(row, "requested_memory_bytes"),
            bytes(row, "peak_memory_bytes"),
            row.has("utilization_percent")
                ? Utilization.ofPercent(row.percent("utilization_percent"))
                : null));
  }

  private Times times(DataRow row) {
    Instant submitted = instant(row, SUBMIT);
    Instant started = row.has(START) ? instant(row, START) : submitted;
    Instant ended = instant(row, END);
    if (started.isBefore(submitted)) {
      throw new UnusableRowException(START + " is before " + SUBMIT);
    }
    if (!started.isBefore(ended)) {
      throw new UnusableRowException(END + " is not after the start");
    }
    return new Times(submitted, started, ended, Extent.WHOLE);
  }

  private Instant instant(DataRow row, String column) {
    double seconds = row.number(column, 0, (double) now.getEpochSecond());
    return Instant.ofEpochMilli(Math.round(seconds * MILLIS));
  }

  private Device device(DataRow row) {
    return devices
        .find(row.text(DEVICE))
        .or(() -> devices.names().find(row.text(DEVICE), MemorySize.ZERO))
        .orElseThrow(() -> row.bad(DEVICE, "a device of './cotenant devices'"));
  }

  private static @Nullable MemorySize bytes(DataRow row, String column) {
    return row.has(column) ? MemorySize.ofBytesRoundedUp(row.number(column, 0, MAX_BYTES)) : null;
  }

  private static String text(DataRow row, String column) {
    return row.has(column) ? row.text(column) : "";
  }
}
