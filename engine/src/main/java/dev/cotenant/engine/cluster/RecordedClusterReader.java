package dev.cotenant.engine.cluster;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.engine.files.InputFiles;
import dev.cotenant.engine.files.StrictJson;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads recorded clusters; the format is described in docs/recorded-cluster.md. */
public final class RecordedClusterReader {
  /** What users are to name. */
  public static final String WANTED = "a recorded cluster (JSON)";

  /** A day of samples every second for a thousand GPUs. */
  private static final int MAX_BYTES = 1 << 30;

  /** 16 TiB: beyond any GPU, and safe to add up. */
  private static final long MAX_MEMORY_BYTES = 1L << 44;

  private static final int MAX_INDEX = 9_999;

  private static final Instant EARLIEST = Instant.EPOCH;
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  private final DeviceCatalogue catalogue;

  /** Devices are named by the ids of this catalogue. */
  public RecordedClusterReader(DeviceCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * Reads a file.
   *
   * @throws InputException ({@code unreadable-cluster}) naming file and place, or as {@link
   *     InputFiles}
   */
  public RecordedCluster read(Path file) {
    return read(InputFiles.read(file, WANTED, MAX_BYTES), file.toString());
  }

  /** As {@link #read(Path)}; {@code name} stands for the file in messages. */
  public RecordedCluster read(byte[] json, String name) {
    Check check = new Check(name);
    try {
      return cluster(StrictJson.read(json, RecordedClusterDocument.class, check::wrong), check);
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      throw check.wrong("the document", String.valueOf(e.getMessage()));
    }
  }

  private RecordedCluster cluster(RecordedClusterDocument document, Check check) {
    Instant recordedAt = check.instant(document.recordedAt(), "recorded_at");
    List<GpuReading> gpus = new ArrayList<>();
    Set<String> uuids = new HashSet<>();
    List<RecordedClusterDocument.@Nullable Gpu> entries = check.present(document.gpus(), "gpus");
    for (int i = 0; i < entries.size(); i++) {
      String at = "gpus[" + i + "]";
      GpuReading gpu = gpu(check.present(entries.get(i), at), at, check);
      if (!uuids.add(gpu.uuid())) {
        throw check.wrong(at + ".uuid", gpu.uuid() + " appears twice");
      }
      if (gpu.usedMemory().last().filter(last -> last.at().isAfter(recordedAt)).isPresent()) {
        throw check.wrong(at + ".used_memory", "has a sample later than recorded_at");
      }
      gpus.add(gpu);
    }
    String description = document.description();
    return new RecordedCluster(recordedAt, description == null ? "" : description, gpus);
  }

  private GpuReading gpu(RecordedClusterDocument.Gpu gpu, String at, Check check) {
    Double observed = gpu.observedUtilizationPercent();
    return new GpuReading(
        check.present(gpu.uuid(), at + ".uuid"),
        check.present(gpu.node(), at + ".node"),
        device(check.present(gpu.device(), at + ".device"), at, check),
        check.memory(
            (double) check.positive(gpu.capacityBytes(), at + ".capacity_bytes"),
            at + ".capacity_bytes"),
        tenancy(gpu, at, check),
        series(check.present(gpu.usedMemory(), at + ".used_memory"), at + ".used_memory", check),
        observed == null ? null : check.percent(observed, at + ".observed_utilization_percent"),
        List.of(),
        check.index(gpu.index(), at + ".index"));
  }

  private Device device(String id, String at, Check check) {
    return catalogue
        .find(id)
        .orElseThrow(
            () -> check.wrong(at + ".device", "'" + id + "' is not an id of ./cotenant devices"));
  }

  private static Tenancy tenancy(RecordedClusterDocument.Gpu gpu, String at, Check check) {
    if (Boolean.TRUE.equals(gpu.mig())) {
      return new Tenancy.Mig();
    }
    String holder = gpu.exclusiveHolder();
    if (holder != null) {
      return new Tenancy.Exclusive(holder);
    }
    List<RecordedClusterDocument.@Nullable TenantEntry> entries =
        check.present(gpu.tenants(), at + ".tenants");
    return new Tenancy.Shared(
        IntStream.range(0, entries.size())
            .mapToObj(i -> {
              String place = at + ".tenants[" + i + "]";
              return tenant(check.present(entries.get(i), place), place, check);
            })
            .toList());
  }

  private static Tenant tenant(RecordedClusterDocument.TenantEntry entry, String at, Check check) {
    return new Tenant(
        check.present(entry.name(), at + ".name"),
        utilization(
            check.present(entry.utilizationPercent(), at + ".utilization_percent"),
            at + ".utilization_percent",
            check),
        peak(
            check.present(entry.peakMemoryBytes(), at + ".peak_memory_bytes"),
            at + ".peak_memory_bytes",
            check),
        Slowdown.ofRatio(check.present(entry.slowdownLimitRatio(), at + ".slowdown_limit_ratio")),
        check.instant(entry.since(), at + ".since"));
  }

  private static UtilizationEstimate utilization(
      RecordedClusterDocument.Bounds bounds, String at, Check check) {
    return new UtilizationEstimate(
        check.percent(bounds.mean(), at + ".mean"),
        check.percent(bounds.lower(), at + ".lower"),
        check.percent(bounds.upper(), at + ".upper"),
        Coverage.of(check.present(bounds.coverage(), at + ".coverage")));
  }

  private static MemoryEstimate peak(
      RecordedClusterDocument.Bounds bounds, String at, Check check) {
    return new MemoryEstimate(
        check.memory(check.present(bounds.mean(), at + ".mean"), at + ".mean"),
        check.memory(check.present(bounds.lower(), at + ".lower"), at + ".lower"),
        check.memory(check.present(bounds.upper(), at + ".upper"), at + ".upper"),
        Coverage.of(check.present(bounds.coverage(), at + ".coverage")));
  }

  private static MemorySeries series(
      RecordedClusterDocument.Series series, String at, Check check) {
    Instant start = check.instant(series.startedAt(), at + ".started_at");
    long interval = check.positive(series.intervalSeconds(), at + ".interval_seconds");
    List<@Nullable Long> values = check.present(series.bytes(), at + ".bytes");
    List<MemorySample> samples = new ArrayList<>(values.size());
    for (int i = 0; i < values.size(); i++) {
      Long used = values.get(i);
      if (used != null) { // null marks a sample that was not taken
        samples.add(
            new MemorySample(
                start.plusSeconds(Math.multiplyExact(i, interval)),
                check.memory((double) used, at + ".bytes[" + i + "]")));
      }
    }
    return new MemorySeries(samples);
  }

  /** Turns what is missing or out of range into one message that names file and place. */
  private record Check(String name) {
    <T> T present(@Nullable T value, String at) {
      if (value == null) {
        throw wrong(at, "is missing");
      }
      return value;
    }

    long positive(@Nullable Long value, String at) {
      long number = present(value, at);
      if (number < 1) {
        throw wrong(at, "must be at least 1, is " + number);
      }
      return number;
    }

    /** Bytes within the summable range, rounded up to whole ones. */
    MemorySize memory(double bytes, String at) {
      if (!(bytes >= 0 && bytes <= MAX_MEMORY_BYTES)) {
        throw wrong(at, "must be from 0 to " + MAX_MEMORY_BYTES + " bytes, is " + bytes);
      }
      return MemorySize.ofBytesRoundedUp(bytes);
    }

    @Nullable Integer index(@Nullable Integer value, String at) {
      if (value != null && (value < 0 || value > MAX_INDEX)) {
        throw wrong(at, "must be from 0 to " + MAX_INDEX + ", is " + value);
      }
      return value;
    }

    Utilization percent(@Nullable Double value, String at) {
      double percent = present(value, at);
      if (!(percent >= 0 && percent <= 100)) {
        throw wrong(at, "must be from 0 to 100 percent, is " + percent);
      }
      return Utilization.ofPercent(percent);
    }

    Instant instant(@Nullable String text, String at) {
      String present = present(text, at);
      try {
        Instant instant = Instant.parse(present);
        if (instant.isBefore(EARLIEST) || instant.isAfter(LATEST)) {
          throw wrong(at, "must be from 1970 to 9999, is " + present);
        }
        return instant;
      } catch (DateTimeException e) {
        throw new InputException(
            InputException.Kind.MALFORMED,
            "unreadable-cluster",
            name + ": " + at + ": '" + present + "' is not a time such as 2026-11-21T10:00:00Z.",
            e);
      }
    }

    InputException wrong(String at, String what) {
      return InputException.malformed(
          "unreadable-cluster",
          name + ": " + at + ": " + what.lines().findFirst().orElse("") + ".");
    }
  }
}
