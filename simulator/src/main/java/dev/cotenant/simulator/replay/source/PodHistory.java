package dev.cotenant.simulator.replay.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.prometheus.Samples;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What kube-state-metrics recorded of pods that request GPUs. Times in ms since 1970. */
final class PodHistory {
  /** A pod and its job take at most 2 KiB: pods may take a quarter of the heap. */
  private static final int BYTES_PER_POD = 8 << 10;

  private static final long MAX_PODS =
      Math.min(1_000_000, Runtime.getRuntime().maxMemory() / BYTES_PER_POD);
  private static final double MAX_GPUS = 1024;
  private static final double MILLIS = 1_000;

  /**
   * What Deployments, Jobs, CronJobs and StatefulSets append to the names of what they make:
   * numbers, and words of the letters and digits of Kubernetes' random names (util/rand).
   */
  private static final Pattern GENERATED =
      Pattern.compile("(-[0-9]+|-[bcdfghjklmnpqrstvwxz2456789]{5,10})+$");

  private final long latest;
  private final SortedMap<String, Pod> pods = new TreeMap<>();
  private final Map<PodName, NavigableSet<Long>> changes = new HashMap<>();
  private boolean hasNodes;
  private long implausible;

  /**
   * @param latest later times are implausible
   */
  PodHistory(long latest) {
    this.latest = latest;
  }

  /** Later samples are of the future, in ms. */
  long latest() {
    return latest;
  }

  /** A pod; times are 0 where they are not known. */
  static final class Pod {
    final PodName name;
    String node = "";
    String owner = "";
    final TreeSet<String> images = new TreeSet<>();

    /** While it had a node; while it had none, or where no series has the label. */
    final Seen placed = new Seen();

    final Seen pending = new Seen();
    final Seen completion = new Seen();
    int gpus;
    boolean mig;
    long created;
    long started;
    long completed;
    boolean restarted;

    Pod(PodName name) {
      this.name = name;
    }

    /** Owner without generated parts, and image; empty where neither is known. */
    String configuration() {
      String base = GENERATED.matcher(owner).replaceAll("");
      return owner.isEmpty() && images.isEmpty()
          ? ""
          : name.namespace() + "/" + base + "@" + String.join(",", images);
    }
  }

  /** First and last instant of samples; 0 without any. */
  static final class Seen {
    long first;
    long last;

    void at(long instant) {
      first = first == 0 ? instant : Math.min(first, instant);
      last = Math.max(last, instant);
    }
  }

  void requests(Map<String, String> labels, Samples samples) {
    Pod pod = pod(labels);
    String node = labels.getOrDefault("node", "");
    Seen seen = node.isEmpty() ? pod.pending : pod.placed;
    pod.node = node.isEmpty() ? pod.node : node;
    hasNodes |= !node.isEmpty();
    pod.mig |= labels.getOrDefault("resource", "").startsWith("nvidia_com_mig");
    for (int i = 0; i < samples.size(); i++) {
      double gpus = samples.value(i);
      long at = samples.milliseconds(i);
      if (gpus >= 1 && gpus <= MAX_GPUS && at <= latest) {
        pod.gpus = Math.max(pod.gpus, (int) Math.rint(gpus));
        seen.at(at);
      } else {
        implausible++;
      }
    }
  }

  void created(Map<String, String> labels, Samples samples) {
    pod(labels).created = newest(samples);
  }

  void started(Map<String, String> labels, Samples samples) {
    Pod pod = pod(labels);
    pod.started = newest(samples);
    changes(pod.name).add(pod.started);
  }

  /** Step by step, so that the end of a container that starts again is not the pod's. */
  void completed(Map<String, String> labels, Samples samples) {
    Pod pod = pod(labels);
    pod.completed = newest(samples);
    changes(pod.name).add(pod.completed);
    for (int i = 0; i < samples.size(); i++) {
      pod.completion.at(samples.milliseconds(i));
    }
  }

  /** Instants at which pods of a name started and ended, as far as they were read. */
  NavigableSet<Long> changes(PodName name) {
    return changes.computeIfAbsent(name, _ -> new TreeSet<>());
  }

  /** When a pod held its GPUs; a pod without a node waits, where others have one. */
  Seen seen(Pod pod) {
    return hasNodes ? pod.placed : pod.pending;
  }

  void restarts(Map<String, String> labels, Samples samples) {
    Pod pod = pod(labels);
    for (int i = 0; i < samples.size(); i++) {
      pod.restarted |= samples.value(i) > 0;
    }
  }

  void owner(Map<String, String> labels, Samples samples) {
    pod(labels).owner = labels.getOrDefault("owner_name", "");
  }

  void image(Map<String, String> labels, Samples samples) {
    String image = labels.getOrDefault("image", "");
    if (!image.isEmpty()) {
      pod(labels).images.add(image);
    }
  }

  /** Seconds since 1970 as ms; 0 and counted where they are none of the past. */
  private long newest(Samples samples) {
    long time = 0;
    for (int i = 0; i < samples.size(); i++) {
      double seconds = samples.value(i);
      if (seconds > 0 && seconds * MILLIS <= latest) {
        time = Math.round(seconds * MILLIS);
      } else {
        implausible++;
      }
    }
    return time;
  }

  private Pod pod(Map<String, String> labels) {
    PodName name = PodName.of(labels);
    String key = name.namespace() + "/" + name.name() + "/" + labels.getOrDefault("uid", "");
    Pod pod = pods.computeIfAbsent(key, _ -> new Pod(name));
    if (pods.size() > MAX_PODS) {
      throw InputException.tooLarge(
          "too-many-series",
          "The server has more than "
              + MAX_PODS
              + " pods with GPUs in this time, which is what the heap of this process is for:"
              + " shorten it, narrow the matchers, or give the process more memory.");
    }
    return pod;
  }

  Collection<Pod> pods() {
    return pods.values();
  }

  /** Values that were no request or time of the past. */
  long implausible() {
    return implausible;
  }
}
