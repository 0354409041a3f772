package dev.cotenant.engine.sizing;

import dev.cotenant.domain.workload.MemoryResource;
import dev.cotenant.forecast.prometheus.PrometheusSettings.Metrics;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The queries of a stretch of history. */
final class UsageQueries {
  static final String REQUESTS = "kube_pod_container_resource_requests";
  static final String POD_OWNER = "kube_pod_owner";
  static final String REPLICA_SET_OWNER = "kube_replicaset_owner";
  static final String JOB_OWNER = "kube_job_owner";
  static final String ANNOTATIONS = "kube_pod_annotations";

  /** The label of kube-state-metrics for our record of filling. */
  static final String FILLED = "annotation_cotenant_dev_filled";

  private static final String SERVER = "vllm:cache_config_info";

  /** Whole GPUs, as kube-state-metrics writes them. */
  static final String WHOLE_GPUS = "nvidia_com_gpu";

  private static final String POD = "namespace, pod, exported_namespace, exported_pod";
  private static final String GPU = "UUID, GPU_I_ID, modelName, " + POD;

  /** All labels that are read. */
  static final Set<String> LABELS =
      Set.of(
          "UUID",
          "GPU_I_ID",
          "modelName",
          "namespace",
          "pod",
          "exported_namespace",
          "exported_pod",
          "resource",
          FILLED,
          "owner_kind",
          "owner_name",
          "replicaset",
          "job_name");

  private final Metrics metrics;
  private final Duration step;
  private final Duration stretch;

  UsageQueries(Metrics metrics, Duration step, Duration stretch) {
    this.metrics = metrics;
    this.step = step;
    this.stretch = stretch;
  }

  /** The most used in each step, for peaks between two instants count as well. */
  String used() {
    return "max by ("
        + GPU
        + ") (max_over_time("
        + selector(metrics.used(), "")
        + window(step)
        + "))";
  }

  /** What workloads can use of each GPU. */
  String capacity() {
    return "max by (UUID, GPU_I_ID) (last_over_time("
        + selector(metrics.used(), "")
        + window(stretch)
        + ") + last_over_time("
        + selector(metrics.free(), "")
        + window(stretch)
        + "))";
  }

  /** The name of a resource as kube-state-metrics writes it. */
  static String label(MemoryResource resource) {
    return resource.name().replaceAll("[^A-Za-z0-9_]", "_");
  }

  /** Requests by pod; copies of kube-state-metrics count once, containers add up. */
  String requests(List<MemoryResource> resources) {
    String names =
        Stream.concat(Stream.of(WHOLE_GPUS), resources.stream().map(UsageQueries::label))
            .collect(Collectors.joining("|", "resource=~\"", "\""));
    String by = POD + ", resource";
    return "sum by ("
        + by
        + ") (max by ("
        + by
        + ", container, exported_container) ("
        + last(REQUESTS, names)
        + "))";
  }

  String podOwners() {
    return "max by (" + POD + ", owner_kind, owner_name) (" + last(POD_OWNER, "") + ")";
  }

  /** What was filled into pods, where kube-state-metrics exports that annotation. */
  String filled() {
    return "max by (" + POD + ", " + FILLED + ") (" + last(ANNOTATIONS, FILLED + "!=\"\"") + ")";
  }

  /** Owners of ReplicaSets or Jobs. */
  String owners(String metric) {
    String by = "namespace, exported_namespace, replicaset, job_name, owner_kind, owner_name";
    return "max by (" + by + ") (" + last(metric, "") + ")";
  }

  String servers() {
    return "max by ("
        + POD
        + ") (last_over_time({__name__=\""
        + SERVER
        + "\""
        + more()
        + "}"
        + window(stretch)
        + "))";
  }

  private String more() {
    return metrics.matchers().isBlank() ? "" : "," + metrics.matchers();
  }

  private String last(String metric, String own) {
    return "last_over_time(" + selector(metric, own) + window(stretch) + ")";
  }

  private static String window(Duration length) {
    return "[" + length.toSeconds() + "s]";
  }

  private String selector(String metric, String own) {
    String matchers = metrics.matchers();
    String all = own.isEmpty() || matchers.isBlank() ? own + matchers : own + "," + matchers;
    return all.isBlank() ? metric : metric + "{" + all + "}";
  }
}
