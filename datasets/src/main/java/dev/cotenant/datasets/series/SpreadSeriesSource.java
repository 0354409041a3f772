package dev.cotenant.datasets.series;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Nanoseconds;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the series of SPREAD's training runs on an RTX 2080 Ti, one JSON object a line, plain or
 * gzipped: used memory in MiB every {@code interval_s} seconds. Runs of one network are one group.
 */
public final class SpreadSeriesSource implements SeriesSource {
  public static final String FORMAT = "spread-series";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FILE = "single_worker_timeseries.jsonl";
  private static final int MIN_SAMPLES = 12;

  /** What a driver reports of the card's 11 GB. */
  private static final MemorySize CAPACITY = MemorySize.ofMiB(11_019);

  private final Path path;

  public SpreadSeriesSource(Path path) {
    this.path = path;
  }

  @Override
  public Result read() {
    DataFile file = DataFile.in(path, FILE);
    List<RecordedDevice> devices = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    String sha256 =
        file.readLines((number, line) -> {
          if (line.isBlank()) {
            return;
          }
          try {
            devices.add(device(FORMAT + ":" + number, line));
          } catch (UnusableRowException e) {
            rejected.add(file.path() + ":" + number + ": " + e.getMessage());
          }
        });
    if (devices.isEmpty()) {
      throw InputException.malformed("series-empty", file.path() + " holds no usable series.");
    }
    return new Result(FORMAT, devices, rejected, sha256);
  }

  /**
   * The device of one line.
   *
   * @throws UnusableRowException where it holds no usable series
   */
  private static RecordedDevice device(String name, String line) {
    JsonNode run;
    try {
      run = JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new UnusableRowException("is not valid JSON: " + e.getOriginalMessage());
    }
    if (!run.isObject()) {
      throw new UnusableRowException("is not a JSON object");
    }
    long step = Math.round(run.path("interval_s").asDouble() * Nanoseconds.PER_SECOND);
    JsonNode used = run.path("mem_used_mib");
    if (step <= 0) {
      throw new UnusableRowException("has no interval_s");
    }
    if (used.size() < MIN_SAMPLES) {
      throw new UnusableRowException(
          "has " + used.size() + " samples, at least " + MIN_SAMPLES + " are needed");
    }
    List<MemorySample> samples = new ArrayList<>();
    for (JsonNode mib : used) {
      Instant at = Instant.EPOCH.plus(Duration.ofNanos(step * samples.size()));
      samples.add(new MemorySample(at, size(mib.asDouble(-1))));
    }
    return new RecordedDevice(
        name, run.path("model").asText(), new MemorySeries(samples), CAPACITY);
  }

  private static MemorySize size(double mib) {
    if (!(mib >= 0 && mib * MemorySize.MIB <= CAPACITY.bytes())) {
      throw new UnusableRowException("has a size above the GPU memory: " + mib + " MiB");
    }
    return MemorySize.ofBytesRoundedUp(mib * MemorySize.MIB);
  }
}
