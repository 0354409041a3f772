package dev.cotenant.engine.cluster;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
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
import java.io.IOException;
import java.nio.file.Files;
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
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .build();

  private final DeviceCatalogue catalogue;

  /** Devices are named by the ids of this catalogue. */
  public RecordedClusterReader(DeviceCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * Reads a file.
   *
   * @throws InputException ({@code missing-file}, {@code unreadable-cluster}) naming file and place
   */
  public RecordedCluster read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw InputException.notFound(
          "missing-file", file + ": there is no such file; name a recorded cluster (JSON).");
    }
    try {
      return read(Files.readAllBytes(file), file.toString());
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "unreadable-file",
          file + ": cannot be read: " + e.getMessage(),
          e);
    }
  }

  /** As {@link #read(Path)}; {@code name} stands for the file in messages. */
  public RecordedCluster read(byte[] json, String name) {
    Check check = new Check(name);
    try {
      return cluster(
          check.present(JSON.readValue(json, RecordedClusterDocument.class), "{}"), check);
    } catch (JsonMappingException e) {
      throw check.wrong(
          e.getPathReference().replaceAll("[\\w.$]*\\[", "["), e.getOriginalMessage());
    } catch (JacksonException e) {
      throw check.wrong(
          "line " + (e.getLocation() == null ? "?" : e.getLocation().getLineNr()),
          e.getOriginalMessage());
    } catch (IOException e) {
      throw check.wrong("the document", String.valueOf(e.getMessage()));
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
    return new GpuReading(
        check.present(gpu.uuid(), at + ".uuid"),
        check.present(gpu.node(), at + ".node"),
        device(check.present(gpu.device(), at + ".device"), at, check),
        MemorySize.ofBytes(check.positive(gpu.capacityBytes(), at + ".capacity_bytes")),
        tenancy(gpu, at, check),
        series(check.present(gpu.usedMemory(), at + ".used_memory"), at + ".used_memory", check));
  }

  private Device device(String id, String at, Check check) {
    return catalogue
        .find(id)
        .orElseThrow(
            () -> check.wrong(at + ".device", "'" + id + "' is no id of ./cotenant devices"));
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
    var utilization = check.present(entry.utilizationPercent(), at + ".utilization_percent");
    var memory = check.present(entry.peakMemoryBytes(), at + ".peak_memory_bytes");
    return new Tenant(
        check.present(entry.name(), at + ".name"),
        new UtilizationEstimate(
            Utilization.ofPercent(
                check.present(utilization.mean(), at + ".utilization_percent.mean")),
            Utilization.ofPercent(
                check.present(utilization.lower(), at + ".utilization_percent.lower")),
            Utilization.ofPercent(
                check.present(utilization.upper(), at + ".utilization_percent.upper")),
            Coverage.of(
                check.present(utilization.coverage(), at + ".utilization_percent.coverage"))),
        new MemoryEstimate(
            MemorySize.ofBytesRoundedUp(
                check.present(memory.mean(), at + ".peak_memory_bytes.mean")),
            MemorySize.ofBytesRoundedUp(
                check.present(memory.lower(), at + ".peak_memory_bytes.lower")),
            MemorySize.ofBytesRoundedUp(
                check.present(memory.upper(), at + ".peak_memory_bytes.upper")),
            Coverage.of(check.present(memory.coverage(), at + ".peak_memory_bytes.coverage"))),
        Slowdown.ofRatio(check.present(entry.slowdownLimitRatio(), at + ".slowdown_limit_ratio")),
        check.instant(entry.since(), at + ".since"));
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
        if (used < 0) {
          throw check.wrong(at + ".bytes[" + i + "]", "must be at least 0, is " + used);
        }
        samples.add(
            new MemorySample(
                start.plusSeconds(Math.multiplyExact(i, interval)), MemorySize.ofBytes(used)));
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

    Instant instant(@Nullable String text, String at) {
      String present = present(text, at);
      try {
        return Instant.parse(present);
      } catch (DateTimeException e) {
        throw new InputException(
            InputException.Kind.MALFORMED,
            "unreadable-cluster",
            name + ": " + at + ": '" + present + "' is no time like 2026-11-21T10:00:00Z.",
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
