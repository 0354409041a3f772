package dev.cotenant.admission.cluster;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * GPUs of pods without a readable grant, from the annotations of other schedulers.
 *
 * <p>HAMi and Volcano write uuids ({@code GPU-…,NVIDIA,4096,30:;}), and so does Koordinator in some
 * versions. gpushare and Koordinator otherwise write the index of the GPU on its node, which
 * metrics do not have: the number of indices is the number of GPUs. Without annotations it is the
 * number in the pod's request.
 */
public final class ForeignGpus {
  private static final String HAMI = "hami.io/vgpu-devices-allocated";
  private static final String VOLCANO = "volcano.sh/vgpu-ids-new";
  private static final String GPUSHARE = "ALIYUN_COM_GPU_MEM_IDX";
  private static final String KOORDINATOR = "scheduling.koordinator.sh/device-allocated";

  /** Annotations of other schedulers that name the GPUs of a pod. */
  public static final Set<String> ANNOTATIONS = Set.of(HAMI, VOLCANO, GPUSHARE, KOORDINATOR);

  /** More than any node has. */
  static final int ALL = 1 << 10;

  private static final Pattern UUID =
      Pattern.compile("GPU-[0-9a-fA-F]{1,16}(?:-[0-9a-fA-F]{1,16}){0,8}");
  private static final Pattern INDEX = Pattern.compile("(?<![0-9-])[0-9]{1,2}(?![0-9])");
  private static final Pattern MINOR = Pattern.compile("\"minor\"\\s*:\\s*([0-9]{1,3})");

  private ForeignGpus() {}

  /**
   * GPUs of one pod.
   *
   * @param uuids known ones
   * @param others number of unknown ones
   */
  public record Found(List<String> uuids, int others) {}

  /** By all annotations, ours included. */
  public static Found of(WatchedPod pod) {
    return of(pod, List.of(HAMI, VOLCANO, KOORDINATOR, CotenantAnnotations.ASSIGNED_GPU));
  }

  /** By the annotations of other schedulers. */
  public static Found byOtherSchedulers(WatchedPod pod) {
    return of(pod, List.of(HAMI, VOLCANO, KOORDINATOR));
  }

  private static Found of(WatchedPod pod, List<String> names) {
    Map<String, String> annotations = pod.annotations();
    Set<String> uuids = new LinkedHashSet<>();
    for (String name : names) {
      UUID.matcher(annotations.getOrDefault(name, "")).results().forEach(m -> uuids.add(m.group()));
    }
    if (!uuids.isEmpty()) {
      return new Found(List.copyOf(uuids), 0);
    }
    Set<String> numbers = new LinkedHashSet<>();
    MINOR
        .matcher(annotations.getOrDefault(KOORDINATOR, ""))
        .results()
        .forEach(m -> numbers.add(m.group(1)));
    INDEX
        .matcher(annotations.getOrDefault(GPUSHARE, ""))
        .results()
        .forEach(m -> numbers.add(m.group()));
    return new Found(List.of(), numbers.isEmpty() ? requested(pod.request()) : numbers.size());
  }

  /** GPUs that a pod requests; {@link #ALL} where the request is not readable. */
  public static int requested(PodRequest request) {
    return request.gpus().orElse(ALL);
  }
}
