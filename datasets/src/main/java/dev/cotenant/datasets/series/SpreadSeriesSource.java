package dev.cotenant.datasets.series;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.MemorySize;
import java.io.IOException;
import java.io.UncheckedIOException;
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
  private static final String FILE = "single_worker_timeseries.jsonl";
  private static final int MIN_SAMPLES = 12;
  private static final double MIB = 1 << 20;
  private static final double NANOSECONDS = 1e9;

  /** What a driver reports of the card's 11 GB. */
  private static final MemorySize CAPACITY = MemorySize.ofMiB(11_019);

  private final Path path;
  private final JsonFactory json = new JsonFactory();

  public SpreadSeriesSource(Path path) {
    this.path = path;
  }

  @Override
  public String format() {
    return FORMAT;
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
          Run run = parse(line);
          if (run.isUsable()) {
            devices.add(run.toDevice(FORMAT + ":" + number));
          } else {
            rejected.add(file.path() + ":" + number + ": " + run.problem);
          }
        });
    if (devices.isEmpty()) {
      throw InputException.malformed("series-empty", file.path() + " holds no usable series.");
    }
    return new Result(FORMAT, devices, rejected, sha256);
  }

  private Run parse(String line) {
    Run run = new Run();
    try (JsonParser parser = json.createParser(line)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        run.problem = "is no JSON object";
        return run;
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String key = parser.currentName();
        parser.nextToken();
        run.take(key, parser);
      }
    } catch (JacksonException e) {
      run.problem = "is no JSON: " + e.getOriginalMessage();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return run;
  }

  private static final class Run {
    private String model = "";
    private double intervalSeconds;
    private final List<MemorySize> used = new ArrayList<>();
    private String problem = "";

    void take(String key, JsonParser parser) throws IOException {
      switch (key) {
        case "model" -> model = parser.getValueAsString("");
        case "interval_s" -> intervalSeconds = parser.getValueAsDouble();
        case "mem_used_mib" -> {
          while (parser.nextToken() != JsonToken.END_ARRAY && parser.currentToken() != null) {
            double mib = parser.getValueAsDouble(-1);
            if (mib >= 0 && mib * MIB <= CAPACITY.bytes()) {
              used.add(MemorySize.ofBytesRoundedUp(mib * MIB));
            } else {
              problem = "has a size outside the card: " + mib + " MiB";
            }
          }
        }
        default -> parser.skipChildren();
      }
    }

    boolean isUsable() {
      if (problem.isEmpty() && !(intervalSeconds > 0)) {
        problem = "has no interval_s";
      } else if (problem.isEmpty() && used.size() < MIN_SAMPLES) {
        problem = "has " + used.size() + " samples, at least " + MIN_SAMPLES + " are needed";
      }
      return problem.isEmpty();
    }

    RecordedDevice toDevice(String name) {
      long step = Math.round(intervalSeconds * NANOSECONDS);
      List<MemorySample> samples = new ArrayList<>();
      for (int i = 0; i < used.size(); i++) {
        samples.add(new MemorySample(Instant.EPOCH.plus(Duration.ofNanos(step * i)), used.get(i)));
      }
      return new RecordedDevice(name, model, new MemorySeries(samples), CAPACITY);
    }
  }
}
