package dev.cotenant.simulator.replay.source;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.device.DeviceNames;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.simulator.replay.RecordedJob;
import dev.cotenant.simulator.replay.RecordedJob.Allocation;
import dev.cotenant.simulator.replay.RecordedJob.Extent;
import dev.cotenant.simulator.replay.RecordedJob.Origin;
import dev.cotenant.simulator.replay.RecordedJob.Times;
import dev.cotenant.simulator.replay.RecordedJob.Usage;
import dev.cotenant.simulator.replay.Recording;
import dev.cotenant.simulator.replay.Recording.Finding;
import dev.cotenant.simulator.replay.source.GpuHistory.Gpu;
import dev.cotenant.simulator.replay.source.GpuHistory.Use;
import dev.cotenant.simulator.replay.source.PodHistory.Pod;
import dev.cotenant.simulator.replay.source.PodHistory.Seen;
import dev.cotenant.simulator.replay.source.PrometheusRecording.Span;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes jobs of the histories of pods and GPUs and counts what cannot be made of them. */
final class Reconstruction {
  /*
   * A pod becomes a job. It starts at kube_pod_start_time, else at its first sample, and ends at
   * kube_pod_completion_time, else at its last sample. The GPU is that of the DCGM series with the
   * pod's name that overlap with it; without such a series the product is that of its node, else the
   * only one of the cluster, and its use is unknown. Use counts as measured where the pod requested
   * one GPU, had one, was alone on it, and samples cover half of its run. Without
   * kube-state-metrics each stretch of samples with a pod's name becomes a job.
   */
  private static final double MIN_COVERAGE = 0.5;

  private static final String UNCOVERED =
      " for less than half the run: not measured; lengthen a step below the interval of scrapes";

  private final String source;
  private final Span span;
  private final DeviceNames names;
  private final long step;
  private final SequencedMap<What, Long> counts = new LinkedHashMap<>();
  private final List<RecordedJob> jobs = new ArrayList<>();
  private final Map<String, Optional<Device>> products = new HashMap<>();
  private List<Gpu> gpus = List.of();
  private Map<PodName, List<Placed>> byPod = Map.of();

  /** What is counted: a noun, and what follows it. */
  private record What(String noun, String text) {}

  /** The use of a GPU by a pod. */
  private record Placed(Gpu gpu, Use use) {}

  Reconstruction(String source, Span span, DeviceNames names) {
    this.source = source;
    this.span = span;
    this.names = names;
    step = span.step().toMillis();
  }

  /**
   * The jobs and what could not be made of them.
   *
   * @param effects what is not known for want of series
   * @param warnings of the server
   */
  Recording of(
      GpuHistory history,
      PodHistory pods,
      SampleFaults faults,
      List<String> effects,
      List<String> warnings) {
    gpus = List.copyOf(history.gpus().values());
    gpus.forEach(gpu -> products.put(gpu.uuid, gpu.product(names)));
    byPod = byPod();
    if (pods.pods().isEmpty()) {
      List<Pod> stretches = podsOfSeries(history);
      count(
          stretches.size(),
          new What(
              "job",
              "made of DCGM series with the label pod: the server has no "
                  + HistoryQueries.REQUESTS
                  + "{resource=\"nvidia_com_gpu\"} with the labels namespace and pod"
                  + " (kube-state-metrics)"));
      stretches.forEach(pod -> add(pod, pod.pending));
    } else {
      pods.pods().forEach(pod -> add(pod, pods.seen(pod)));
      countUnrequested(history, pods);
    }
    countGpus();
    List<Finding> findings = new ArrayList<>();
    effects.forEach(text -> findings.add(new Finding(1, "series", text)));
    counts.forEach((what, count) -> findings.add(new Finding(count, what.noun(), what.text())));
    findings.addAll(faults.findings());
    if (pods.implausible() > 0) {
      findings.add(
          new Finding(
              pods.implausible(),
              "value",
              "out of range among requests and times of pods: left out"));
    }
    warnings.stream()
        .distinct()
        .forEach(text -> findings.add(new Finding(1, "warning", "of the server: " + text)));
    return new Recording(source, jobs, fleet(), findings);
  }

  private void countUnrequested(GpuHistory history, PodHistory pods) {
    Set<PodName> requested =
        pods.pods().stream().map(pod -> pod.name).collect(Collectors.toUnmodifiableSet());
    count(
        byPod.keySet().stream()
            .filter(name -> history.isWorkload(name) && !requested.contains(name))
            .count(),
        new What(
            "pod",
            "with DCGM series and without a request of nvidia.com/gpu in kube-state-metrics"
                + " (another resource, or none): left out"));
  }

  private Map<PodName, List<Placed>> byPod() {
    Map<PodName, List<Placed>> byPod = new HashMap<>();
    for (Gpu gpu : gpus) {
      gpu.uses.forEach((pod, use) -> {
        if (pod.isKnown()) {
          byPod.computeIfAbsent(pod, _ -> new ArrayList<>()).add(new Placed(gpu, use));
        }
      });
    }
    return byPod;
  }

  /** Without kube-state-metrics: a pod for each stretch of samples. */
  private List<Pod> podsOfSeries(GpuHistory history) {
    List<Pod> pods = new ArrayList<>();
    for (Gpu gpu : gpus) {
      gpu.uses.forEach((name, use) -> {
        List<Segment> stretches =
            history.isWorkload(name) ? use.used().segments() : List.<Segment>of();
        for (Segment stretch : stretches) {
          Pod pod = new Pod(name);
          pod.gpus = 1;
          pod.pending.at(stretch.from);
          pod.pending.at(stretch.to);
          pods.add(pod);
        }
      });
    }
    return pods;
  }

  private void add(Pod pod, Seen seen) {
    if (pod.mig) {
      count("pod", "with a MIG instance, not shared further: left out");
      return;
    }
    if (seen.last == 0 && pod.pending.last > 0) {
      count("pod", "without a node in all this time: left out");
      return;
    }
    Times times = pod.gpus == 0 || seen.last == 0 ? null : times(pod, seen);
    if (times == null) {
      return;
    }
    List<Placed> placed = placed(pod, times);
    Optional<Device> device = device(pod, placed);
    if (device.isEmpty()) {
      count("pod", "of a product that DCGM does not name or the catalogue lacks: left out");
      return;
    }
    if (pod.restarted) {
      count("pod", "with containers that started again: one job, measured over all its runs");
    }
    jobs.add(
        new RecordedJob(
            new Origin(pod.name.namespace(), pod.name.name(), pod.configuration()),
            times,
            new Allocation(pod.gpus, device.get().id()),
            usage(pod, times, placed)));
  }

  /** Null for a pod that had ended before the time that is read. */
  private @Nullable Times times(Pod pod, Seen seen) {
    long begin = span.start().toEpochMilli();
    long end = span.end().toEpochMilli();
    long started = pod.started > 0 ? pod.started : seen.first;
    boolean isComplete = pod.completed > 0 && pod.completion.last >= seen.last - 2 * step;
    boolean runs = !isComplete && seen.last >= end - 2 * step;
    long ended = isComplete ? pod.completed : runs ? end : seen.last;
    if (ended <= begin) {
      return null;
    }
    if (ended <= started) {
      count("pod", "with an end not after the start: left out");
      return null;
    }
    boolean cut = started < begin || runs;
    if (cut) {
      count("job", "cut at an end of the time that was read");
    } else if (!isComplete) {
      count("pod", "deleted before completion: the last sample counts as the end");
    }
    long from = Math.max(started, begin);
    long submitted = pod.created > 0 ? Math.clamp(pod.created, begin, from) : from;
    return new Times(
        Instant.ofEpochMilli(submitted),
        Instant.ofEpochMilli(from),
        Instant.ofEpochMilli(ended),
        cut ? Extent.CUT : Extent.WHOLE);
  }

  private List<Placed> placed(Pod pod, Times times) {
    long from = times.started().toEpochMilli();
    long to = times.ended().toEpochMilli();
    return byPod.getOrDefault(pod.name, List.of()).stream()
        .filter(placed ->
            !within(placed.use().used(), from, to).isEmpty()
                || !within(placed.use().utilization(), from, to).isEmpty())
        .toList();
  }

  private List<Segment> within(Segment.Track track, long from, long to) {
    return track.segments().stream()
        .filter(segment -> segment.isWithin(from - step, to + step))
        .toList();
  }

  private Optional<Device> device(Pod pod, List<Placed> placed) {
    if (!placed.isEmpty()) {
      return product(placed.getFirst().gpu());
    }
    count(
        "pod",
        "without DCGM series by name, use unknown: run dcgm-exporter with"
            + " DCGM_EXPORTER_KUBERNETES=true, labels pod and namespace");
    return only(pod.node).or(() -> only(""));
  }

  /** The only product of a node, or of the cluster where the node is empty. */
  private Optional<Device> only(String node) {
    List<Device> found =
        gpus.stream()
            .filter(gpu -> node.isEmpty() || gpu.node.equals(node))
            .flatMap(gpu -> product(gpu).stream())
            .distinct()
            .toList();
    return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
  }

  private Optional<Device> product(Gpu gpu) {
    return products.getOrDefault(gpu.uuid, Optional.empty());
  }

  private Usage usage(Pod pod, Times times, List<Placed> placed) {
    if (placed.isEmpty() || pod.gpus != 1) {
      return Usage.UNKNOWN;
    }
    if (placed.size() > 1) {
      count("pod", "with a request of one GPU and series of several: use unknown");
      return Usage.UNKNOWN;
    }
    long from = times.started().toEpochMilli();
    long to = times.ended().toEpochMilli();
    Gpu gpu = placed.getFirst().gpu();
    if (isShared(gpu, pod.name, from, to)) {
      count("pod", "beside another pod on one GPU: use unknown");
      return Usage.UNKNOWN;
    }
    Use use = placed.getFirst().use();
    return new Usage(
        null,
        peak(within(use.used(), from, to), to - from),
        mean(within(use.utilization(), from, to), to - from));
  }

  private boolean isShared(Gpu gpu, PodName own, long from, long to) {
    return gpu.uses.entrySet().stream()
        .filter(entry -> entry.getKey().isKnown() && !entry.getKey().equals(own))
        .flatMap(entry -> entry.getValue().used().segments().stream())
        .anyMatch(other -> other.overlaps(from, to, 2 * step));
  }

  private @Nullable MemorySize peak(List<Segment> segments, long run) {
    if (!cover(segments, run)) {
      count("job", "with samples of used memory" + UNCOVERED);
      return null;
    }
    return MemorySize.ofBytesRoundedUp(
        segments.stream().mapToDouble(segment -> segment.most).max().orElse(0));
  }

  private @Nullable Utilization mean(List<Segment> segments, long run) {
    if (!cover(segments, run)) {
      count("job", "with samples of utilization" + UNCOVERED);
      return null;
    }
    double sum = segments.stream().mapToDouble(segment -> segment.sum).sum();
    long samples = segments.stream().mapToLong(segment -> segment.count).sum();
    return Utilization.ofPercentClipped(sum / samples);
  }

  /** A run of less than two steps needs one sample. */
  private boolean cover(List<Segment> segments, long run) {
    long samples = segments.stream().mapToLong(segment -> segment.count).sum();
    return samples > 0 && samples * step >= MIN_COVERAGE * (run - 2 * step);
  }

  private void countGpus() {
    for (Gpu gpu : gpus) {
      if (gpu.mig) {
        count("GPU", "partitioned by MIG: left out");
      } else if (product(gpu).isEmpty()) {
        count("GPU", "of a product that the catalogue lacks or that DCGM does not name");
      }
      gpu.uses.forEach(
          (_, use) -> count(use.used().gaps(), new What("gap", "in series of used memory")));
    }
  }

  private Map<DeviceId, Integer> fleet() {
    Map<DeviceId, Integer> fleet = new HashMap<>();
    gpus.stream()
        .filter(gpu -> !gpu.mig)
        .flatMap(gpu -> product(gpu).stream())
        .forEach(device -> fleet.merge(device.id(), 1, Integer::sum));
    return fleet;
  }

  private void count(String noun, String text) {
    count(1, new What(noun, text));
  }

  private void count(long more, What what) {
    if (more > 0) {
      counts.merge(what, more, Long::sum);
    }
  }
}
