package dev.cotenant.simulator.replay.source;

import dev.cotenant.forecast.prometheus.PrometheusSettings.Metrics;
import java.time.Duration;
import java.util.Set;

/**
 * The queries of a chunk of history. Windows of a step, not instants: a server repeats the newest
 * sample for minutes after a series ended.
 */
final class HistoryQueries {
  static final String REQUESTS = "kube_pod_container_resource_requests";
  static final String CREATED = "kube_pod_created";
  static final String STARTED = "kube_pod_start_time";
  static final String COMPLETED = "kube_pod_completion_time";
  static final String OWNER = "kube_pod_owner";
  static final String CONTAINER = "kube_pod_container_info";
  static final String RESTARTS = "kube_pod_container_status_restarts_total";
  private static final String RESOURCES = "resource=~\"nvidia_com_(gpu|mig_.+)\"";

  /** Where a scrape does not honour labels the pod's are {@code exported_…}. */
  private static final String POD = "namespace, pod, uid, exported_namespace, exported_pod";

  private static final String CONTAINERS = "container, exported_container";

  private static final String GPU =
      "UUID, GPU_I_ID, modelName, hostname, Hostname,"
          + " namespace, pod, exported_namespace, exported_pod";

  /** All labels that are read. */
  static final Set<String> LABELS =
      Set.of(
          "UUID",
          "GPU_I_ID",
          "modelName",
          "hostname",
          "Hostname",
          "namespace",
          "pod",
          "uid",
          "exported_namespace",
          "exported_pod",
          "node",
          "resource",
          "owner_kind",
          "owner_name",
          "image");

  private final Metrics metrics;
  private final String step;
  private final String chunk;

  HistoryQueries(Metrics metrics, Duration step, Duration chunk) {
    this.metrics = metrics;
    this.step = "[" + step.toSeconds() + "s]";
    this.chunk = "[" + chunk.toSeconds() + "s]";
  }

  String utilization() {
    return perGpu("avg_over_time", metrics.utilization());
  }

  String used() {
    return perGpu("max_over_time", metrics.used());
  }

  String free() {
    return perGpu("max_over_time", metrics.free());
  }

  private String perGpu(String function, String metric) {
    return "max by (" + GPU + ") (" + function + "(" + selector(metric, "") + step + "))";
  }

  /** GPUs that pods request; copies of kube-state-metrics count once. */
  String requests() {
    String by = POD + ", node, resource";
    return "sum by ("
        + by
        + ") (max by ("
        + by
        + ", "
        + CONTAINERS
        + ") (last_over_time("
        + selector(REQUESTS, RESOURCES)
        + step
        + ")))";
  }

  /** A time or count of each GPU pod, the newest and largest. */
  String newest(String metric) {
    return ofGpuPods("max by (" + POD + ") (" + last(metric) + ")");
  }

  /** Completion of GPU pods, step by step: a container that starts again has none any more. */
  String completions() {
    String newest = "last_over_time(" + selector(COMPLETED, "") + step + ")";
    return ofGpuPods("max by (" + POD + ") (" + newest + ")");
  }

  String owners() {
    return ofGpuPods("max by (" + POD + ", owner_kind, owner_name) (" + last(OWNER) + ")");
  }

  /** Images of the containers that request GPUs. */
  String images() {
    return "max by ("
        + POD
        + ", image) ("
        + last(CONTAINER)
        + " and on ("
        + POD
        + ", "
        + CONTAINERS
        + ") "
        + gpuRequests()
        + ")";
  }

  private String ofGpuPods(String vector) {
    return vector + " and on (" + POD + ") " + gpuRequests();
  }

  private String gpuRequests() {
    return "last_over_time(" + selector(REQUESTS, RESOURCES) + chunk + ")";
  }

  private String last(String metric) {
    return "last_over_time(" + selector(metric, "") + chunk + ")";
  }

  private String selector(String metric, String own) {
    String matchers = metrics.matchers();
    String all = own.isEmpty() || matchers.isBlank() ? own + matchers : own + "," + matchers;
    return all.isBlank() ? metric : metric + "{" + all + "}";
  }
}
