package dev.cotenant.datasets.series;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

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
  private static final String DUTY = "pod_gpu_duty_cycle_anon.csv";
  private static final int MIN_SAMPLES = 100;
  private static final MemorySize CAPACITY = MemorySize.ofMiB(49_140);
  private static final String TIME = "timestamp_anon";
  private static final String BYTES = "value";
  private static final String POD = "container_ip";
  private static final List<String> COLUMNS = List.of(TIME, BYTES, POD);

  private final Path path;

  public AlibabaGenAiSource(Path path) {
    this.path = path;
  }

  @Override
  public Result read() {
    DataFile file = DataFile.in(path, FILE);
    Map<String, Map<Instant, MemorySize>> pods = new TreeMap<>();
    List<String> rejected = new ArrayList<>();
    String sha256 = file.readTable(COLUMNS, row -> add(row, pods), rejected);
    List<RecordedDevice> devices = new ArrayList<>();
    pods.forEach((pod, samples) -> {
      if (samples.size() >= MIN_SAMPLES) {
        devices.add(device(pod, samples));
      }
    });
    if (devices.isEmpty()) {
      throw InputException.malformed(
          "series-empty", file.path() + " holds no series of " + MIN_SAMPLES + " samples.");
    }
    return new Result(FORMAT, devices, rejected, sha256);
  }

  /**
   * Duty cycles of each pod in the order of time, percent, from {@code
   * pod_gpu_duty_cycle_anon.csv}; pods of fewer than 100 samples are left out. Unreadable rows too.
   */
  public List<List<Double>> dutyCycles() {
    Map<String, SortedMap<Double, Double>> pods = new TreeMap<>();
    DataFile.in(Files.isDirectory(path) ? path : path.resolveSibling(""), DUTY)
        .readTable(
            COLUMNS,
            row ->
                pods.computeIfAbsent(row.text(POD), _ -> new TreeMap<>())
                    .put(row.number(TIME, 0, 1e12), row.percent(BYTES)),
            new ArrayList<>());
    return pods.values().stream()
        .filter(pod -> pod.size() >= MIN_SAMPLES)
        .map(pod -> List.copyOf(pod.values()))
        .toList();
  }

  /**
   * Mean utilization of each pod, from {@code pod_gpu_duty_cycle_anon.csv} in the same folder;
   * empty without that file. Unreadable rows are left out.
   */
  public Map<String, Utilization> meanUtilizations() {
    Path folder = Files.isDirectory(path) ? path : path.resolveSibling("");
    if (Stream.of(DUTY, DUTY + ".gz").noneMatch(file -> Files.exists(folder.resolve(file)))) {
      return Map.of();
    }
    Map<String, DoubleSummaryStatistics> pods = new TreeMap<>();
    DataFile.in(folder, DUTY)
        .readTable(
            COLUMNS,
            row ->
                pods.computeIfAbsent(row.text(POD), _ -> new DoubleSummaryStatistics())
                    .accept(row.percent(BYTES)),
            new ArrayList<>());
    Map<String, Utilization> means = new TreeMap<>();
    pods.forEach(
        (pod, percent) -> means.put(pod, Utilization.ofPercentClipped(percent.getAverage())));
    return means;
  }

  private static void add(DataRow row, Map<String, Map<Instant, MemorySize>> pods) {
    Instant at = Instant.ofEpochSecond(Math.round(row.number(TIME, 0, 1e12)));
    MemorySize used = MemorySize.ofBytesRoundedUp(row.number(BYTES, 0, (double) CAPACITY.bytes()));
    Map<Instant, MemorySize> pod = pods.computeIfAbsent(row.text(POD), _ -> new TreeMap<>());
    if (pod.put(at, used) != null) {
      throw new UnusableRowException("the pod has a second value at that time");
    }
  }

  private static RecordedDevice device(String pod, Map<Instant, MemorySize> samples) {
    List<MemorySample> ordered =
        samples.entrySet().stream().map(e -> new MemorySample(e.getKey(), e.getValue())).toList();
    return new RecordedDevice(pod, pod, new MemorySeries(ordered), CAPACITY);
  }
}
