package dev.cotenant.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.RecordedCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a Prometheus server would answer that scrapes DCGM's exporter, the trainings and services:
 * the memory of the recording, moved to now, and what the pods add that came after.
 */
final class DemoMetrics {
  /** Steps a second of a training alone, and how much slower one is beside another. */
  private static final double STEPS = 10;

  private static final double SLOWDOWN = 1.7;

  /** Of what was predicted: of the mean utilization, and of the bound on memory. */
  private static final double UTILIZATION_OF_MEAN = 0.75;

  /** Less than all of it, since a GPU's use contains its driver's own. */
  private static final double MEMORY_OF_BOUND = 0.8;

  /** A driver's own. */
  private static final double IDLE_MEBIBYTES = 455;

  /** An idle GPU was there long before. */
  private static final Duration HISTORY = Duration.ofHours(1);

  private static final Pattern AVERAGED = Pattern.compile("avg_over_time\\([^\\[]*\\[(\\d+)s]");

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final List<GpuReading> gpus = new CopyOnWriteArrayList<>();
  private final Instant recordedAt;
  private final Instant began;
  private final Duration sinceRecording;
  private final Supplier<List<ObjectNode>> pods;
  private final DemoHistory history;

  /** What a pod uses, by uid: annotations change once it is measured. */
  private final Map<String, Load> loads = new ConcurrentHashMap<>();

  private record Load(double utilizationPercent, double mebibytes) {}

  DemoMetrics(RecordedCluster recorded, Instant began, Supplier<List<ObjectNode>> pods) {
    gpus.addAll(recorded.gpus());
    recordedAt = recorded.recordedAt();
    this.began = began;
    sinceRecording = Duration.between(recordedAt, began);
    this.pods = pods;
    history = new DemoHistory(recorded, began);
  }

  /** Adds an idle GPU of the product of another node's. */
  GpuReading add(String node, String other) {
    GpuReading like =
        gpus.stream().filter(gpu -> gpu.node().equals(other)).findFirst().orElseThrow();
    GpuReading added =
        new GpuReading(
            "GPU-5f3a%04d-0000-4000-8000-%012d".formatted(gpus.size() + 1, gpus.size() + 1),
            node,
            like.device(),
            like.capacity(),
            new Tenancy.Shared(List.of()),
            new MemorySeries(List.of()),
            null,
            List.of(),
            0);
    gpus.add(added);
    return added;
  }

  /** Used memory of every GPU, or what pods used before. */
  ObjectNode range(Map<String, String> asked, Instant now) {
    if (asked.getOrDefault("query", "").contains("_over_time(")) {
      return answer("matrix", history.range(asked));
    }
    long start = Long.parseLong(asked.getOrDefault("start", "0"));
    long end = Math.min(now.getEpochSecond(), Long.parseLong(asked.getOrDefault("end", "0")));
    long step = Math.max(1, Long.parseLong(asked.getOrDefault("step", "30")));
    List<ObjectNode> running = running();
    ArrayNode result = JSON.arrayNode();
    for (GpuReading gpu : selected(asked)) {
      ArrayNode values = JSON.arrayNode();
      Usage usage = usage(gpu, running);
      boolean isSampled = silence(gpu).isZero();
      Instant first = firstSampled(gpu);
      for (long at = start; at <= end; at += step) {
        Instant instant = Instant.ofEpochSecond(at);
        if (isSampled && !instant.isBefore(first)) {
          values.addArray().add(at).add(String.valueOf(usage.mebibytes(instant)));
        }
      }
      ObjectNode series = result.addObject();
      series.set("metric", labels(gpu));
      series.set("values", values);
    }
    return answer("matrix", result);
  }

  /** What is known of each GPU now, or a number about one pod. */
  ObjectNode instant(Map<String, String> asked, Instant now) {
    String query = asked.getOrDefault("query", "");
    Instant at = Instant.ofEpochSecond(Long.parseLong(asked.getOrDefault("time", "0")));
    ArrayNode result = JSON.arrayNode();
    List<ObjectNode> running = running();
    Optional<Map<String, Double>> service = DemoServices.answer(query, at);
    if (service.isPresent()) {
      service
          .get()
          .forEach((name, value) ->
              add(result, JSON.objectNode().put("cotenant_quantity", name), at, value));
    } else if (query.contains("cotenant_quantity")) {
      Duration window = window(query);
      selected(asked).forEach(gpu -> addNewest(result, gpu, running, at, window));
    } else if (query.contains("steps_total")) {
      running.stream()
          .filter(pod -> query.contains("pod=\"" + name(pod) + "\""))
          .forEach(pod -> add(result, JSON.objectNode(), at, speed(pod, running, at)));
    }
    return answer("vector", result);
  }

  /** All GPUs, or the one that the selectors name. */
  private List<GpuReading> selected(Map<String, String> asked) {
    String query = asked.getOrDefault("query", "");
    return query.contains("UUID=\"")
        ? gpus.stream().filter(gpu -> query.contains("UUID=\"" + gpu.uuid() + "\"")).toList()
        : gpus;
  }

  /** Over which utilization is averaged. */
  private static Duration window(String query) {
    Matcher window = AVERAGED.matcher(query);
    return window.find() ? Duration.ofSeconds(Long.parseLong(window.group(1))) : Duration.ZERO;
  }

  private void addNewest(
      ArrayNode result, GpuReading gpu, List<ObjectNode> running, Instant now, Duration window) {
    Instant sampled = now.minus(silence(gpu));
    add(
        result,
        labels(gpu).put("cotenant_quantity", "sampled_at"),
        now,
        (double) sampled.getEpochSecond());
    double used = usage(gpu, running).mebibytes(sampled);
    add(result, labels(gpu).put("cotenant_quantity", "used"), now, used);
    double free = mebibytes(gpu.capacity()) - used;
    add(result, labels(gpu).put("cotenant_quantity", "free"), now, free);
    if (!(gpu.tenancy() instanceof Tenancy.Mig)) {
      double busy = utilization(gpu, running, now, window);
      add(result, labels(gpu).put("cotenant_quantity", "utilization"), now, busy);
    }
  }

  /**
   * How old the newest sample is: those of a recording that had ended before it do not come again.
   */
  private Duration silence(GpuReading gpu) {
    return gpu.usedMemory()
        .last()
        .map(MemorySample::at)
        .map(at -> Duration.between(at, recordedAt))
        .filter(age -> age.toSeconds() > 60)
        .orElse(Duration.ZERO);
  }

  private Instant firstSampled(GpuReading gpu) {
    return gpu.usedMemory().samples().isEmpty()
        ? began.minus(HISTORY)
        : gpu.usedMemory().samples().getFirst().at().plus(sinceRecording);
  }

  /**
   * Used memory of a GPU at any time.
   *
   * @param recorded by the time at which each sample is used, until the next one
   * @param capacity in MiB
   * @param added by the pods that came after the recording
   */
  private record Usage(NavigableMap<Instant, Double> recorded, double capacity, List<Added> added) {
    double mebibytes(Instant at) {
      Map.Entry<Instant, Double> sample = recorded.floorEntry(at);
      double sum = sample == null ? IDLE_MEBIBYTES : sample.getValue();
      for (Added pod : added) {
        if (!pod.since.isAfter(at)) {
          sum += pod.mebibytes;
        }
      }
      return Math.rint(Math.min(sum, capacity));
    }
  }

  private record Added(Instant since, double mebibytes) {}

  /** A GPU that was held has its recorded use while the pods of the recording are there. */
  private Usage usage(GpuReading gpu, List<ObjectNode> running) {
    NavigableMap<Instant, Double> recorded = new TreeMap<>();
    if (!(gpu.tenancy() instanceof Tenancy.Exclusive) || hasRecorded(gpu, running)) {
      for (MemorySample sample : gpu.usedMemory().samples()) {
        recorded.put(sample.at().plus(sinceRecording), mebibytes(sample.used()));
      }
    }
    List<Added> added =
        running.stream()
            .filter(pod -> isOn(pod, gpu) && !isRecorded(pod))
            .map(pod -> new Added(startedAt(pod), load(pod).mebibytes))
            .toList();
    return new Usage(recorded, mebibytes(gpu.capacity()), added);
  }

  private static double mebibytes(MemorySize size) {
    return size.bytes() / (double) MemorySize.MIB;
  }

  /** The recorded one, and that of the pods that came after for as long as they ran. */
  private double utilization(
      GpuReading gpu, List<ObjectNode> running, Instant now, Duration window) {
    double sum = 0;
    var observed = gpu.observedUtilization();
    boolean isHeld = gpu.tenancy() instanceof Tenancy.Exclusive;
    if (observed != null && (!isHeld || hasRecorded(gpu, running))) {
      sum = observed.percent();
    }
    for (ObjectNode pod : running) {
      if (isOn(pod, gpu) && !(isRecorded(pod) && observed != null)) {
        Duration ran = Duration.between(startedAt(pod), now);
        double share = Math.clamp((double) ran.toMillis() / Math.max(1, window.toMillis()), 0, 1);
        sum += share * load(pod).utilizationPercent;
      }
    }
    return Math.min(Utilization.FULL.percent(), sum);
  }

  private static boolean hasRecorded(GpuReading gpu, List<ObjectNode> running) {
    return running.stream().anyMatch(pod -> isOn(pod, gpu) && isRecorded(pod));
  }

  private Load load(ObjectNode pod) {
    return loads.computeIfAbsent(
        pod.at("/metadata/uid").asText(),
        _ -> {
          double mean = number(pod, CotenantAnnotations.PREDICTED_UTILIZATION_MEAN, 80);
          double bound = number(pod, CotenantAnnotations.PREDICTED_MEMORY, 6000);
          return isRecorded(pod)
              ? new Load(mean, 0)
              : new Load(UTILIZATION_OF_MEAN * mean, MEMORY_OF_BOUND * bound);
        });
  }

  private static double number(ObjectNode pod, String annotation, double absent) {
    String text = DemoCluster.annotation(pod, annotation).replace("Mi", "");
    return text.isEmpty() ? absent : Double.parseDouble(text);
  }

  private double speed(ObjectNode pod, List<ObjectNode> running, Instant at) {
    String gpu = DemoCluster.annotation(pod, CotenantAnnotations.ASSIGNED_GPU);
    boolean isAlone =
        running.stream()
            .filter(other -> !name(other).equals(name(pod)) && !startedAt(other).isAfter(at))
            .noneMatch(other ->
                DemoCluster.annotation(other, CotenantAnnotations.ASSIGNED_GPU).equals(gpu));
    return isAlone ? STEPS : STEPS / SLOWDOWN;
  }

  private List<ObjectNode> running() {
    return pods.get().stream()
        .filter(pod -> pod.at("/status/phase").asText().equals("Running"))
        .toList();
  }

  private static boolean isOn(JsonNode pod, GpuReading gpu) {
    return DemoCluster.annotation(pod, CotenantAnnotations.ASSIGNED_GPU).contains(gpu.uuid());
  }

  private static boolean isRecorded(JsonNode pod) {
    return pod.at("/spec/containers/0/image").asText().equals("recorded");
  }

  private static Instant startedAt(JsonNode pod) {
    return Instant.parse(pod.at("/status/startTime").asText());
  }

  private static String name(JsonNode pod) {
    return pod.at("/metadata/name").asText();
  }

  private static ObjectNode labels(GpuReading gpu) {
    ObjectNode labels = JSON.objectNode();
    labels.put("UUID", gpu.uuid()).put("Hostname", gpu.node());
    labels.put("modelName", gpu.device().productName());
    labels.put("gpu", String.valueOf(gpu.index()));
    if (gpu.tenancy() instanceof Tenancy.Mig) {
      labels.put("GPU_I_ID", "1").put("GPU_I_PROFILE", "3g.20gb");
    }
    return labels;
  }

  private static void add(ArrayNode result, ObjectNode labels, Instant at, double value) {
    ObjectNode sample = result.addObject();
    sample.set("metric", labels);
    sample.putArray("value").add(at.getEpochSecond()).add(String.valueOf(value));
  }

  private static ObjectNode answer(String type, ArrayNode result) {
    ObjectNode answer = JSON.objectNode().put("status", "success");
    answer.putObject("data").put("resultType", type).set("result", result);
    return answer;
  }
}
