package dev.cotenant.cli.demo;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.RecordedCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Two weeks of pods before the demo, each with a whole GPU, as DCGM's exporter and
 * kube-state-metrics would have them: what right-sizing and replays read. Pods that are alone on a
 * GPU in the recording run throughout; on the other GPUs, jobs of a few kinds follow each other.
 * The same each time, relative to the demo's beginning.
 */
final class DemoHistory {
  private static final Duration LENGTH = Duration.ofDays(14);
  private static final double DAY_RADIANS = 2 * Math.PI / Duration.ofDays(1).toSeconds();

  /** Of used memory, up and down in a day. */
  private static final double WAVE = 0.1;

  /** kube-state-metrics shows a pod that has ended until it is removed. */
  private static final long REMOVED_SECONDS = 60;

  private static final int MIN_SECONDS = 1_800;
  private static final int MAX_SECONDS = 5 * 3_600;
  private static final int MAX_GAP_SECONDS = 1_200;

  private static final Pattern WINDOW = Pattern.compile("\\[(\\d+)s]");
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** They fit on every product of the recording. */
  private static final List<Kind> KINDS =
      List.of(
          new Kind("team-a", "translator", 35, 6_000),
          new Kind("team-a", "embedder", 12, 3_500),
          new Kind("team-c", "detector", 58, 7_500),
          new Kind("team-d", "speech", 44, 8_000),
          new Kind("team-d", "render", 90, 5_000),
          new Kind("team-e", "digits", 22, 2_500));

  private final List<Pod> pods = new ArrayList<>();

  private record Kind(String namespace, String name, double utilization, double mebibytes) {}

  /**
   * A pod on a GPU.
   *
   * @param start in seconds since 1970
   * @param end the same; the largest number while it runs
   */
  private record Pod(
      GpuReading gpu,
      String namespace,
      String name,
      String owner,
      String image,
      double utilization,
      double mebibytes,
      long start,
      long end) {
    /** The time in which its completion is known. */
    Pod completed() {
      return new Pod(
          gpu, namespace, name, owner, image, utilization, mebibytes, end, end + REMOVED_SECONDS);
    }

    double used(long at) {
      return Math.rint(mebibytes * (1 - WAVE + WAVE * Math.sin(DAY_RADIANS * at)));
    }
  }

  DemoHistory(RecordedCluster recorded, Instant began) {
    long end = began.getEpochSecond();
    long start = began.minus(LENGTH).getEpochSecond();
    SplittableRandom random = new SplittableRandom(7);
    for (GpuReading gpu : recorded.gpus()) {
      switch (gpu.tenancy()) {
        case Tenancy.Mig _ -> {}
        case Tenancy.Exclusive(String holder) -> pods.add(running(gpu, holder, 90, start));
        case Tenancy.Shared(List<Tenant> tenants) when tenants.size() == 1 ->
            pods.add(
                running(
                    gpu,
                    tenants.getFirst().name(),
                    tenants.getFirst().utilization().mean().percent(),
                    start));
        case Tenancy.Shared _ -> addJobs(gpu, start, end, random);
      }
    }
  }

  private static Pod running(GpuReading gpu, String pod, double utilization, long start) {
    int slash = pod.indexOf('/');
    String name = pod.substring(slash + 1);
    double used =
        gpu.usedMemory().last().map(MemorySample::used).map(DemoHistory::mebibytes).orElse(0.0);
    return new Pod(
        gpu,
        pod.substring(0, slash),
        name,
        "StatefulSet/" + name,
        name,
        utilization,
        used,
        start,
        Long.MAX_VALUE);
  }

  private void addJobs(GpuReading gpu, long start, long end, SplittableRandom random) {
    long free = start;
    while (true) {
      Kind kind = KINDS.get(random.nextInt(KINDS.size()));
      long first = free + random.nextInt(MAX_GAP_SECONDS);
      long last = first + random.nextInt(MIN_SECONDS, MAX_SECONDS);
      if (last + REMOVED_SECONDS >= end) {
        return;
      }
      String name = kind.name + "-" + pods.size();
      pods.add(
          new Pod(
              gpu,
              kind.namespace,
              name,
              "Job/" + name,
              kind.name,
              kind.utilization,
              kind.mebibytes,
              first,
              last));
      free = last + REMOVED_SECONDS;
    }
  }

  private interface Value {
    double of(Pod pod, long at);
  }

  /** Result of a range query; empty for unknown metrics. */
  ArrayNode range(Map<String, String> asked) {
    String query = asked.getOrDefault("query", "");
    boolean isUsed = query.contains("DCGM_FI_DEV_FB_USED");
    boolean isFree = query.contains("DCGM_FI_DEV_FB_FREE");
    if (isUsed && isFree) {
      Set<String> seen = new HashSet<>();
      List<Pod> first = pods.stream().filter(pod -> seen.add(pod.gpu.uuid())).toList();
      return series(
          asked,
          first,
          pod -> JSON.objectNode().put("UUID", pod.gpu.uuid()),
          (pod, _) -> mebibytes(pod.gpu.capacity()));
    }
    if (isUsed) {
      return series(asked, pods, DemoHistory::ofGpu, Pod::used);
    }
    if (isFree) {
      return series(
          asked,
          pods,
          DemoHistory::ofGpu,
          (pod, at) -> mebibytes(pod.gpu.capacity()) - pod.used(at));
    }
    if (query.contains("DCGM_FI_DEV_GPU_UTIL")) {
      return series(asked, pods, DemoHistory::ofGpu, (pod, _) -> pod.utilization);
    }
    return ofKubernetes(query, asked);
  }

  private ArrayNode ofKubernetes(String query, Map<String, String> asked) {
    if (query.contains("kube_pod_created") || query.contains("kube_pod_start_time")) {
      return series(asked, pods, DemoHistory::ofPod, (pod, _) -> pod.start);
    }
    if (query.contains("kube_pod_completion_time")) {
      return completions(asked);
    }
    if (query.contains("kube_pod_container_status_restarts_total")) {
      return series(asked, pods, DemoHistory::ofPod, (_, _) -> 0);
    }
    if (query.contains("kube_pod_owner")) {
      return series(
          asked,
          pods,
          pod -> {
            int slash = pod.owner.indexOf('/');
            return ofPod(pod)
                .put("owner_kind", pod.owner.substring(0, slash))
                .put("owner_name", pod.owner.substring(slash + 1));
          },
          (_, _) -> 1);
    }
    if (query.contains("kube_pod_container_info")) {
      return series(asked, pods, pod -> ofPod(pod).put("image", pod.image), (_, _) -> 1);
    }
    return query.contains("kube_pod_container_resource_requests")
        ? series(
            asked,
            pods,
            pod -> ofPod(pod).put("node", pod.gpu.node()).put("resource", "nvidia_com_gpu"),
            (_, _) -> 1)
        : JSON.arrayNode();
  }

  /** A pod has one from its end until it is removed. */
  private ArrayNode completions(Map<String, String> asked) {
    List<Pod> ended =
        pods.stream().filter(pod -> pod.end < Long.MAX_VALUE).map(Pod::completed).toList();
    return series(asked, ended, DemoHistory::ofPod, (pod, _) -> pod.start);
  }

  /** Samples at every step whose window overlaps the pod's lifetime. */
  private static ArrayNode series(
      Map<String, String> asked, List<Pod> pods, Function<Pod, ObjectNode> labels, Value value) {
    long start = Long.parseLong(asked.getOrDefault("start", "0"));
    long end = Long.parseLong(asked.getOrDefault("end", "0"));
    long step = Math.max(1, Long.parseLong(asked.getOrDefault("step", "30")));
    long window = window(asked.getOrDefault("query", ""));
    ArrayNode result = JSON.arrayNode();
    for (Pod pod : pods) {
      ArrayNode values = JSON.arrayNode();
      for (long at = start; at <= end; at += step) {
        if (pod.start <= at && pod.end > at - window) {
          values.addArray().add(at).add(String.valueOf(value.of(pod, at)));
        }
      }
      if (!values.isEmpty()) {
        ObjectNode series = result.addObject();
        series.set("metric", labels.apply(pod));
        series.set("values", values);
      }
    }
    return result;
  }

  private static long window(String query) {
    Matcher found = WINDOW.matcher(query);
    return found.find() ? Long.parseLong(found.group(1)) : 1;
  }

  private static ObjectNode ofGpu(Pod pod) {
    return ofPod(pod)
        .put("UUID", pod.gpu.uuid())
        .put("Hostname", pod.gpu.node())
        .put("modelName", pod.gpu.device().productName());
  }

  private static ObjectNode ofPod(Pod pod) {
    return JSON.objectNode().put("namespace", pod.namespace).put("pod", pod.name);
  }

  private static double mebibytes(MemorySize size) {
    return size.bytes() / (double) MemorySize.MIB;
  }
}
