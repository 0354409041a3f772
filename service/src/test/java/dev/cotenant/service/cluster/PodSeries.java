package dev.cotenant.service.cluster;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What DCGM's exporter and kube-state-metrics have of three pods of two workloads, each alone on a
 * GPU: used memory in daily waves, whole GPUs that were requested, and owners.
 */
final class PodSeries {
  private static final double DAY_RADIANS = 2 * Math.PI / 86_400;
  private static final int CAPACITY = 15_000;

  private static final List<Pod> PODS =
      List.of(
          new Pod("team-a", "search", 0, 6_000, 2_000),
          new Pod("team-a", "search", 1, 5_500, 1_500),
          new Pod("team-b", "embed", 0, 9_000, 400));

  /**
   * A pod.
   *
   * @param mebibytes that it uses on average
   * @param wave the most that it uses beside these, in MiB
   */
  private record Pod(String namespace, String owner, int index, int mebibytes, int wave) {
    String labels() {
      return "\"namespace\":\"" + namespace + "\",\"pod\":\"" + owner + "-" + index + "\"";
    }

    String gpu() {
      return "\"UUID\":\"GPU-of-" + owner + "-" + index + "\",\"modelName\":\"Tesla T4\"";
    }

    long used(long at) {
      return mebibytes + Math.round(wave * Math.sin(DAY_RADIANS * at));
    }
  }

  private PodSeries() {}

  /** Series of a range query; empty where the server has none. */
  static String matrix(String form) {
    if (form.contains("max_over_time(")) {
      return all(pod -> series(pod.gpu() + "," + pod.labels(), form, pod::used));
    }
    if (form.contains("DCGM_FI_DEV_FB_FREE")) {
      return all(pod -> series(pod.gpu(), form, _ -> CAPACITY));
    }
    if (form.contains("kube_pod_container_resource_requests")) {
      String resource = ",\"resource\":\"nvidia_com_gpu\"";
      return all(pod -> series(pod.labels() + resource, form, _ -> 1));
    }
    String kind = ",\"owner_kind\":\"StatefulSet\",\"owner_name\":\"";
    return form.contains("kube_pod_owner")
        ? all(pod -> series(pod.labels() + kind + pod.owner() + "\"", form, _ -> 1))
        : "";
  }

  private static String all(Function<Pod, String> series) {
    return PODS.stream().map(series).collect(Collectors.joining(","));
  }

  private interface Values {
    long at(long second);
  }

  private static String series(String labels, String form, Values values) {
    StringBuilder samples = new StringBuilder();
    long step = number(form, "step");
    for (long at = number(form, "start"); at <= number(form, "end"); at += step) {
      samples
          .append(samples.isEmpty() ? "[" : ",[")
          .append(at)
          .append(",\"")
          .append(values.at(at))
          .append("\"]");
    }
    return "{\"metric\":{" + labels + "},\"values\":[" + samples + "]}";
  }

  private static long number(String form, String name) {
    return Long.parseLong(form.replaceAll("(?s).*\\b" + name + "=(\\d+).*", "$1"));
  }
}
