package dev.cotenant.engine.sizing;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.MemoryResource;
import dev.cotenant.forecast.prometheus.MetricsReading;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.forecast.prometheus.PrometheusSettings.Metrics;
import dev.cotenant.forecast.prometheus.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what pods requested and used: used memory from DCGM's exporter, requests and owners from
 * kube-state-metrics, whose {@code kube_pod_owner}, {@code kube_replicaset_owner} and {@code
 * kube_job_owner} are the ownerReferences, also of objects that are gone. One use.
 */
public final class UsageHistory {
  private static final int STRETCH_STEPS = 288;
  private static final int MAX_PODS = 20_000;

  /** DCGM's blank values start just below 2^63; no device has a petabyte. */
  private static final double BLANK = 1e15;

  /** In the webhook's record, {@code {"dialect":"hami",…,"bytes":8589934592,"why":"…"}}. */
  private static final Pattern BOUND = Pattern.compile("\"bytes\":(\\d{1,15})\\b");

  private final PrometheusHistory server;
  private final Metrics metrics;
  private final List<MemoryResource> resources;
  private final Span span;
  private final Map<Pod, PodTrack> pods = new TreeMap<>();
  private final Map<String, Double> capacities = new HashMap<>();
  private final Map<String, String> owners = new HashMap<>();
  private final Set<String> found = new HashSet<>();
  private boolean hasExported;

  /**
   * The time that is read.
   *
   * @param end of it
   * @param length at least a step
   * @param step between samples, a second at least
   */
  public record Span(Instant end, Duration length, Duration step) {
    public Span {
      if (step.toSeconds() < 1 || length.compareTo(step) < 0) {
        throw new IllegalArgumentException("step must be at least 1 s, and length at least that");
      }
      end = Instant.ofEpochSecond(end.getEpochSecond() / step.toSeconds() * step.toSeconds());
    }
  }

  /**
   * What was read.
   *
   * @param pods with samples of used memory
   * @param missing one line for each kind of series that the server lacks, with its effect
   */
  public record Recorded(List<PodUsage> pods, List<String> missing) {
    public Recorded {
      pods = List.copyOf(pods);
      missing = List.copyOf(missing);
    }
  }

  private record Pod(String namespace, String name) implements Comparable<Pod> {
    @Override
    public int compareTo(Pod other) {
      int byNamespace = namespace.compareTo(other.namespace);
      return byNamespace == 0 ? name.compareTo(other.name) : byNamespace;
    }
  }

  /** A series of one GPU and pod in a stretch. */
  private record Track(String gpu, String product, Pod pod, boolean exported, Samples samples) {}

  /** Of pods that request memory by these resources, or whole GPUs. */
  public UsageHistory(
      PrometheusHistory server, Metrics metrics, List<MemoryResource> resources, Span span) {
    this.server = server;
    this.metrics = metrics;
    this.resources = List.copyOf(resources);
    this.span = span;
  }

  /**
   * Reads the pods of a namespace; null for all.
   *
   * @throws InputException ({@code metrics-unavailable}) where the server fails, ({@code
   *     metrics-missing}) where it has no used memory by pod, ({@code too-many-series})
   */
  public Recorded read(@Nullable String namespace) {
    Instant from = span.end().minus(span.length());
    while (from.isBefore(span.end())) {
      Instant to = from.plus(span.step().multipliedBy(STRETCH_STEPS));
      Instant last = to.isAfter(span.end()) ? span.end() : to;
      stretch(from, last, namespace);
      from = last;
    }
    if (pods.isEmpty()) {
      throw InputException.notFound(
          "metrics-missing",
          "The server has no series "
              + metrics.used()
              + " with the labels pod and namespace"
              + (namespace == null ? "" : " of namespace " + namespace)
              + " (dcgm-exporter with DCGM_EXPORTER_KUBERNETES=true): check --matchers and"
              + " --used-metric.");
    }
    List<PodUsage> usages = new ArrayList<>();
    pods.forEach((pod, track) -> usages.add(usage(pod, track)));
    return new Recorded(usages, missing());
  }

  private List<String> missing() {
    Map<String, String> effects = new TreeMap<>();
    effects.put(UsageQueries.REQUESTS, "what pods request is not known");
    effects.put(UsageQueries.POD_OWNER, "each pod counts as a separate workload");
    effects.put(UsageQueries.REPLICA_SET_OWNER, "ReplicaSets count, not their Deployments");
    List<String> missing = new ArrayList<>();
    effects.forEach((metric, effect) -> {
      if (!found.contains(metric)) {
        missing.add("missing: " + metric + " (kube-state-metrics); " + effect);
      }
    });
    return missing;
  }

  private void stretch(Instant from, Instant to, @Nullable String namespace) {
    UsageQueries queries = new UsageQueries(metrics, span.step(), Duration.between(from, to));
    List<Track> tracks = new ArrayList<>();
    query(
        queries.used(),
        from.plus(span.step()),
        to,
        (labels, samples) -> {
          Pod pod = pod(labels);
          boolean exported = !labels.getOrDefault("exported_pod", "").isEmpty();
          hasExported |= exported;
          if (!pod.name.isEmpty()) {
            tracks.add(
                new Track(
                    gpu(labels), labels.getOrDefault("modelName", ""), pod, exported, samples));
          }
        });
    // Beside exported pods, a pod that is not exported is the exporter's own.
    tracks.removeIf(track -> hasExported && !track.exported);
    take(tracks, namespace);
    query(queries.capacity(), to, to, (labels, samples) -> put(capacities, gpu(labels), samples));
    query(queries.requests(resources), to, to, this::requests);
    query(queries.podOwners(), to, to, this::podOwner);
    query(queries.filled(), to, to, (labels, _) -> filled(labels));
    for (String metric : List.of(UsageQueries.REPLICA_SET_OWNER, UsageQueries.JOB_OWNER)) {
      query(queries.owners(metric), to, to, (labels, _) -> owner(metric, labels));
    }
    query(
        queries.servers(),
        to,
        to,
        (labels, _) ->
            Optional.ofNullable(pods.get(pod(labels))).ifPresent(p -> p.reserves = true));
  }

  private void query(String query, Instant from, Instant to, PrometheusHistory.Reader reader) {
    Instant first = from.isAfter(to) ? to : from;
    Optional<MetricsReading.Failed> failed =
        server.read(
            new PrometheusHistory.Range(query, first, to, span.step(), UsageQueries.LABELS),
            reader);
    if (failed.isPresent()) {
      throw InputException.notFound("metrics-unavailable", failed.get().message());
    }
  }

  private void put(Map<String, Double> amounts, String key, Samples samples) {
    double value = samples.size() == 0 ? Double.NaN : samples.value(samples.size() - 1);
    if (value > 0 && value * metrics.bytesPerUnit() < BLANK) {
      amounts.merge(key, value * metrics.bytesPerUnit(), Math::max);
    }
  }

  /** Attributes samples of a GPU with a single pod to that pod. */
  private void take(List<Track> tracks, @Nullable String namespace) {
    Map<String, Map<Long, Integer>> holders = new HashMap<>();
    for (Track track : tracks) {
      Map<Long, Integer> own = holders.computeIfAbsent(track.gpu, _ -> new HashMap<>());
      for (int i = 0; i < track.samples.size(); i++) {
        own.merge(track.samples.milliseconds(i), 1, Integer::sum);
      }
    }
    Map<Pod, SortedMap<Long, Double>> alone = new HashMap<>();
    for (Track track : tracks) {
      if (namespace == null || namespace.equals(track.pod.namespace)) {
        take(track, holders.getOrDefault(track.gpu, Map.of()), alone);
      }
    }
    alone.forEach((pod, samples) -> track(pod).add(samples));
  }

  private void take(
      Track track, Map<Long, Integer> holders, Map<Pod, SortedMap<Long, Double>> alone) {
    PodTrack pod = track(track.pod);
    pod.gpus.add(track.gpu);
    pod.product = track.product;
    for (int i = 0; i < track.samples.size(); i++) {
      long time = track.samples.milliseconds(i);
      double used = track.samples.value(i) * metrics.bytesPerUnit();
      if (used >= 0 && used < BLANK) {
        pod.lastSeen = Math.max(pod.lastSeen, time);
        if (holders.getOrDefault(time, 0) > 1) {
          pod.shared++;
        } else {
          alone.computeIfAbsent(track.pod, _ -> new TreeMap<>()).merge(time, used, Math::max);
        }
      }
    }
  }

  private PodTrack track(Pod pod) {
    PodTrack track = pods.computeIfAbsent(pod, _ -> new PodTrack());
    if (pods.size() > MAX_PODS) {
      throw InputException.tooLarge(
          "too-many-series",
          "The server has more than " + MAX_PODS + " pods: state a namespace or --matchers.");
    }
    return track;
  }

  private void requests(Map<String, String> labels, Samples samples) {
    found.add(UsageQueries.REQUESTS);
    PodTrack track = pods.get(pod(labels));
    double value = samples.size() == 0 ? Double.NaN : samples.value(samples.size() - 1);
    if (track != null && value >= 0 && value < BLANK) {
      track.requests.put(labels.getOrDefault("resource", ""), value);
    }
  }

  private void podOwner(Map<String, String> labels, Samples samples) {
    found.add(UsageQueries.POD_OWNER);
    PodTrack track = pods.get(pod(labels));
    if (track != null && hasOwner(labels)) {
      track.ownerKind = labels.getOrDefault("owner_kind", "");
      track.ownerName = labels.getOrDefault("owner_name", "");
    }
  }

  /** Reads the bound from the record of filling; records of unknown form are ignored. */
  private void filled(Map<String, String> labels) {
    PodTrack track = pods.get(pod(labels));
    Matcher bound = BOUND.matcher(labels.getOrDefault(UsageQueries.FILLED, ""));
    if (track != null && bound.find()) {
      track.predicted = Long.parseLong(bound.group(1));
    }
  }

  /** The owner of a ReplicaSet or Job. */
  private void owner(String metric, Map<String, String> labels) {
    found.add(metric);
    String kind = metric.equals(UsageQueries.JOB_OWNER) ? "Job" : "ReplicaSet";
    String name = labels.getOrDefault(kind.equals("Job") ? "job_name" : "replicaset", "");
    if (hasOwner(labels) && !name.isEmpty()) {
      owners.put(
          key(pod(labels).namespace, kind, name),
          labels.getOrDefault("owner_kind", "") + "/" + labels.getOrDefault("owner_name", ""));
    }
  }

  private static boolean hasOwner(Map<String, String> labels) {
    String name = labels.getOrDefault("owner_name", "");
    return !name.isEmpty() && !name.equals("<none>");
  }

  private static String key(String namespace, String kind, String name) {
    return namespace + "\n" + kind + "/" + name;
  }

  private static Pod pod(Map<String, String> labels) {
    String exported = labels.getOrDefault("exported_pod", "");
    return exported.isEmpty() && !labels.containsKey("exported_namespace")
        ? new Pod(labels.getOrDefault("namespace", ""), labels.getOrDefault("pod", ""))
        : new Pod(labels.getOrDefault("exported_namespace", ""), exported);
  }

  private static String gpu(Map<String, String> labels) {
    return labels.getOrDefault("UUID", "") + " " + labels.getOrDefault("GPU_I_ID", "");
  }

  private PodUsage usage(Pod pod, PodTrack track) {
    String own =
        track.ownerName.isEmpty() ? "Pod/" + pod.name : track.ownerKind + "/" + track.ownerName;
    String top = owners.getOrDefault(pod.namespace + "\n" + own, own);
    var series = track.series();
    double most =
        series.samples().stream().mapToDouble(sample -> sample.used().bytes()).max().orElse(1);
    double capacity =
        track.gpus.stream()
            .mapToDouble(gpu -> capacities.getOrDefault(gpu, 0.0))
            .filter(bytes -> bytes > 0)
            .min()
            .orElse(most);
    double requested = track.requested(capacity, resources);
    return new PodUsage(
        pod.namespace,
        pod.name,
        top,
        track.product,
        MemorySize.ofBytesRoundedUp(Math.max(1, Math.max(capacity, most))),
        Math.max(1, track.gpus.size()),
        Double.isFinite(requested) ? MemorySize.ofBytesRoundedUp(requested) : null,
        track.predicted > 0 ? MemorySize.ofBytes(track.predicted) : null,
        series,
        track.shared,
        Instant.ofEpochMilli(track.lastSeen),
        track.reserves);
  }
}
