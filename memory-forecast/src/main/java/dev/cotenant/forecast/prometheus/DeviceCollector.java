package dev.cotenant.forecast.prometheus;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Puts the series of both answers together, device by device, and counts what it leaves out. */
final class DeviceCollector {
  /** DCGM's blank values start just below 2^63; no device has a petabyte. */
  private static final double BLANK = 1e15;

  /** As {@code nvidia-smi} counts the GPUs of a node. */
  private static final String INDEX = "gpu";

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,4}");

  /** Labels in use. */
  static final Set<String> LABELS =
      Set.of(
          "UUID",
          INDEX,
          "GPU_I_ID",
          "GPU_I_PROFILE",
          "hostname",
          "Hostname",
          "modelName",
          "exported_pod",
          "exported_namespace",
          "pod",
          "namespace",
          Queries.QUANTITY);

  private final double bytesPerUnit;
  private final long latestMilliseconds;
  private final Map<String, Parts> devices = new TreeMap<>();
  private final List<Instant> instants = new ArrayList<>(); // of the series before, by position
  private int blank;
  private int notFinite;
  private int outOfRange;
  private int repeated;
  private int future;
  private int nameless;

  /**
   * @param bytesPerUnit of sizes
   * @param latest later samples come from a clock that runs ahead
   */
  DeviceCollector(double bytesPerUnit, Instant latest) {
    this.bytesPerUnit = bytesPerUnit;
    this.latestMilliseconds = latest.toEpochMilli();
  }

  private static final class Parts {
    private String node = "";
    private String modelName = "";
    private @Nullable Integer index;
    private boolean mig;
    private double usedBytes = -1;
    private double freeBytes = -1;
    private double utilizationPercent = -1;
    private long sampledAtMilliseconds = Long.MIN_VALUE;
    private final TreeSet<String> pods = new TreeSet<>();
    private List<MemorySample> samples = List.of();
  }

  /** Takes a series of used memory. */
  void series(Map<String, String> labels, Samples samples) {
    Parts parts = parts(labels, samples.size());
    if (parts == null || isInstance(labels, parts)) {
      return;
    }
    List<MemorySample> kept = new ArrayList<>(samples.size());
    long previous = Long.MIN_VALUE;
    for (int i = 0; i < samples.size(); i++) {
      long at = samples.milliseconds(i);
      if (!isPlausible(samples.value(i), Double.MAX_VALUE) || isFuture(at)) {
        continue;
      }
      if (at <= previous) {
        repeated++;
        continue;
      }
      previous = at;
      kept.add(
          new MemorySample(
              instant(i, at), MemorySize.ofBytesRoundedUp(samples.value(i) * bytesPerUnit)));
    }
    parts.samples = parts.samples.isEmpty() ? kept : merged(parts.samples, kept);
  }

  /** Aligned series have the same times: one object for all devices, a third of their memory. */
  private Instant instant(int position, long milliseconds) {
    if (position < instants.size()) {
      Instant before = instants.get(position);
      return before.toEpochMilli() == milliseconds ? before : Instant.ofEpochMilli(milliseconds);
    }
    Instant first = Instant.ofEpochMilli(milliseconds);
    if (position == instants.size()) {
      instants.add(first);
    }
    return first;
  }

  /** Two series of one device: the larger value where both have one. */
  private List<MemorySample> merged(List<MemorySample> one, List<MemorySample> other) {
    Map<Instant, MemorySize> both = new TreeMap<>();
    one.forEach(sample -> both.put(sample.at(), sample.used()));
    for (MemorySample sample : other) {
      repeated += both.merge(sample.at(), sample.used(), MemorySize::max) == null ? 0 : 1;
    }
    return both.entrySet().stream().map(e -> new MemorySample(e.getKey(), e.getValue())).toList();
  }

  /** Takes one newest value of whatever {@link Queries#QUANTITY} says. */
  void newest(Map<String, String> labels, Samples samples) {
    Parts parts = parts(labels, samples.size());
    if (parts == null || samples.size() == 0) {
      return;
    }
    describe(labels, parts);
    double value = samples.value(0);
    switch (labels.getOrDefault(Queries.QUANTITY, "")) {
      case Queries.SAMPLED_AT -> sampledAt(value, parts);
      case Queries.USED -> {
        if (!isInstance(labels, parts) && isPlausible(value, Double.MAX_VALUE)) {
          parts.usedBytes = Math.max(parts.usedBytes, value * bytesPerUnit);
        }
      }
      case Queries.FREE -> {
        if (!isInstance(labels, parts) && isPlausible(value, Double.MAX_VALUE)) {
          parts.freeBytes = Math.max(parts.freeBytes, value * bytesPerUnit);
        }
      }
      case Queries.UTILIZATION -> {
        if (isPlausible(value, Utilization.FULL.percent())) {
          parts.utilizationPercent = Math.max(parts.utilizationPercent, value);
        }
      }
      default -> {
        // a recording rule may return more than the query selects
      }
    }
  }

  private void sampledAt(double seconds, Parts parts) {
    if (!isPlausible(seconds, Double.MAX_VALUE)) {
      return;
    }
    long milliseconds = Math.round(seconds * 1_000);
    if (!isFuture(milliseconds)) {
      parts.sampledAtMilliseconds = Math.max(parts.sampledAtMilliseconds, milliseconds);
    }
  }

  private @Nullable Parts parts(Map<String, String> labels, int samples) {
    String uuid = labels.getOrDefault("UUID", "");
    if (uuid.isEmpty()) {
      nameless += samples;
      return null;
    }
    return devices.computeIfAbsent(uuid, _ -> new Parts());
  }

  private static boolean isInstance(Map<String, String> labels, Parts parts) {
    boolean instance =
        !labels.getOrDefault("GPU_I_ID", "").isEmpty()
            || !labels.getOrDefault("GPU_I_PROFILE", "").isEmpty();
    parts.mig |= instance;
    return instance;
  }

  private static void describe(Map<String, String> labels, Parts parts) {
    parts.node = either(labels, "hostname", "Hostname", parts.node);
    parts.modelName = labels.getOrDefault("modelName", parts.modelName);
    String index = labels.getOrDefault(INDEX, "");
    parts.index = NUMBER.matcher(index).matches() ? Integer.valueOf(index) : parts.index;
    String pod = labels.getOrDefault("exported_pod", "");
    // without exported_… labels, pod is the workload; with them it is the exporter itself
    String namespace = pod.isEmpty() ? labels.get("namespace") : labels.get("exported_namespace");
    pod = pod.isEmpty() ? labels.getOrDefault("pod", "") : pod;
    if (!pod.isEmpty()) {
      parts.pods.add((namespace == null ? "" : namespace + "/") + pod);
    }
  }

  private static String either(
      Map<String, String> labels, String name, String older, String otherwise) {
    String value = labels.getOrDefault(name, "");
    return value.isEmpty() ? labels.getOrDefault(older, otherwise) : value;
  }

  private boolean isPlausible(double value, double most) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      notFinite++;
      return false;
    }
    if (value >= BLANK) {
      blank++;
      return false;
    }
    if (value < 0 || value > most) {
      outOfRange++;
      return false;
    }
    return true;
  }

  private boolean isFuture(long milliseconds) {
    boolean is = milliseconds > latestMilliseconds;
    future += is ? 1 : 0;
    return is;
  }

  /** The devices by uuid. {@code step} is the resolution of the query. */
  List<DeviceMetrics> devices(Duration step) {
    List<DeviceMetrics> all = new ArrayList<>(devices.size());
    devices.forEach((uuid, parts) -> all.add(device(uuid, parts, step)));
    return all;
  }

  private DeviceMetrics device(String uuid, Parts parts, Duration step) {
    boolean measured = parts.usedBytes >= 0 && parts.freeBytes >= 0;
    double total = parts.usedBytes + parts.freeBytes;
    MemorySize capacity = measured && total >= 1 ? MemorySize.ofBytesRoundedUp(total) : null;
    List<MemorySample> samples = withoutLookback(parts, step);
    if (capacity != null) {
      MemorySize most = capacity;
      int before = samples.size();
      samples = samples.stream().filter(sample -> sample.used().isAtMost(most)).toList();
      outOfRange += before - samples.size();
    }
    return new DeviceMetrics(
        uuid,
        parts.node,
        parts.modelName,
        parts.mig,
        capacity,
        new MemorySeries(samples),
        parts.utilizationPercent < 0 ? null : Utilization.ofPercent(parts.utilizationPercent),
        List.copyOf(parts.pods),
        parts.index);
  }

  /**
   * A server repeats the newest value for minutes after it was scraped. What lies a step or more
   * after the newest real sample is such a repetition; the one that holds it gets its true time.
   */
  private List<MemorySample> withoutLookback(Parts parts, Duration step) {
    if (parts.sampledAtMilliseconds == Long.MIN_VALUE || parts.samples.isEmpty()) {
      return parts.samples;
    }
    Instant real = Instant.ofEpochMilli(parts.sampledAtMilliseconds);
    Instant end = real.plus(step);
    List<MemorySample> kept = new ArrayList<>(parts.samples);
    while (!kept.isEmpty() && !kept.getLast().at().isBefore(end)) {
      kept.removeLast();
      repeated++;
    }
    boolean ascends = kept.size() < 2 || kept.get(kept.size() - 2).at().isBefore(real);
    if (!kept.isEmpty() && ascends && kept.getLast().at().isAfter(real)) {
      kept.set(kept.size() - 1, new MemorySample(real, kept.getLast().used()));
    }
    return kept;
  }

  /** Samples left out so far. */
  DroppedSamples dropped() {
    return new DroppedSamples(blank, notFinite, outOfRange, repeated, future, nameless);
  }
}
