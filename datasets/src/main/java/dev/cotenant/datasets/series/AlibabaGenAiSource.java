package dev.cotenant.datasets.series;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.MemorySize;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.csv.CSVRecord;

/**
 * Reads Alibaba's trace of Stable-Diffusion serving (cluster-trace-v2026-GenAI): used GPU memory of
 * each pod, every 57 s for a day. The file is {@code pod_gpu_memory_used_bytes_anon.csv}, plain or
 * gzipped, or the folder that holds it.
 *
 * <p>Series of fewer than 100 samples are left out. The trace does not say which GPUs it is from;
 * its largest values fit cards of 48 GB, whose usable 49,140 MiB are taken as capacity.
 */
public final class AlibabaGenAiSource implements SeriesSource {
  public static final String FORMAT = "alibaba-genai";
  private static final String FILE = "pod_gpu_memory_used_bytes_anon.csv";
  private static final int LEAST_SAMPLES = 100;
  private static final MemorySize CAPACITY = MemorySize.ofMiB(49_140);
  private static final List<String> HEADER = List.of("timestamp_anon", "value", "container_ip");

  private final Path path;

  public AlibabaGenAiSource(Path path) {
    this.path = path;
  }

  @Override
  public String format() {
    return FORMAT;
  }

  @Override
  public Result read() {
    HashedFile file = HashedFile.of(path, FILE);
    Map<String, Map<Instant, MemorySize>> pods = new TreeMap<>();
    List<String> rejected = new ArrayList<>();
    String sha256 =
        file.readCsv(
            HEADER,
            record -> {
              if (!add(record, pods)) {
                rejected.add(file.path() + ":" + record.getRecordNumber() + ": bad row");
              }
            });
    List<RecordedDevice> devices = new ArrayList<>();
    pods.forEach((pod, samples) -> {
      if (samples.size() >= LEAST_SAMPLES) {
        devices.add(device(pod, samples));
      }
    });
    if (devices.isEmpty()) {
      throw InputException.malformed(
          "series-empty", file.path() + " holds no series of " + LEAST_SAMPLES + " samples.");
    }
    return new Result(FORMAT, devices, rejected, sha256);
  }

  private static boolean add(CSVRecord record, Map<String, Map<Instant, MemorySize>> pods) {
    try {
      double seconds = Double.parseDouble(record.get(0));
      double bytes = Double.parseDouble(record.get(1));
      Instant at = Instant.ofEpochSecond(Math.round(seconds));
      MemorySize used = MemorySize.ofBytesRoundedUp(bytes);
      return used.isAtMost(CAPACITY)
          && pods.computeIfAbsent(record.get(2), _ -> new TreeMap<>()).put(at, used) == null;
    } catch (IllegalArgumentException e) {
      return false; // no number, or a negative one
    }
  }

  private static RecordedDevice device(String pod, Map<Instant, MemorySize> samples) {
    List<MemorySample> ordered =
        samples.entrySet().stream().map(e -> new MemorySample(e.getKey(), e.getValue())).toList();
    return new RecordedDevice(pod, pod, new MemorySeries(ordered), CAPACITY);
  }
}
