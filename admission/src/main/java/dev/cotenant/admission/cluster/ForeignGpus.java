package dev.cotenant.admission.cluster;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuDialect.Allocation;
import dev.cotenant.admission.pod.PodRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * GPUs of pods without a readable grant, from the annotations of other schedulers.
 *
 * <p>HAMi and Volcano write uuids ({@code GPU-…,NVIDIA,4096,30:;}), and so does Koordinator in some
 * versions. gpushare and Koordinator otherwise write the index of the GPU on its node, which
 * metrics do not have: the number of indices is the number of GPUs. Without annotations, the number
 * in the pod's request counts.
 */
public final class ForeignGpus {
  /** Annotations of other schedulers that name the GPUs of a pod. */
  public static final List<String> ANNOTATIONS =
      Arrays.stream(GpuDialect.values())
          .flatMap(dialect -> dialect.allocation().stream())
          .map(Allocation::annotation)
          .toList();

  private static final List<String> INDICES =
      Arrays.stream(GpuDialect.values())
          .flatMap(dialect -> dialect.allocation().stream())
          .filter(Allocation::isIndex)
          .map(Allocation::annotation)
          .toList();

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
    return of(
        pod, Stream.concat(ANNOTATIONS.stream(), Stream.of(CotenantAnnotations.ASSIGNED_GPU)));
  }

  /** GPUs named by the annotations of other schedulers. */
  public static Found byOtherSchedulers(WatchedPod pod) {
    return of(pod, ANNOTATIONS.stream());
  }

  private static Found of(WatchedPod pod, Stream<String> names) {
    Map<String, String> annotations = pod.annotations();
    String allocations = texts(annotations, names);
    List<String> uuids = found(UUID, allocations);
    if (!uuids.isEmpty()) {
      return new Found(uuids, 0);
    }
    List<String> numbers = found(MINOR, allocations);
    if (numbers.isEmpty()) {
      numbers = found(INDEX, texts(annotations, INDICES.stream()));
    }
    return new Found(List.of(), numbers.isEmpty() ? requested(pod.request()) : numbers.size());
  }

  private static String texts(Map<String, String> annotations, Stream<String> names) {
    return names.map(name -> annotations.getOrDefault(name, "")).collect(Collectors.joining("\n"));
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(MatchResult::group).distinct().toList();
  }

  /** GPUs that a pod requests; {@link #ALL} where the request is not readable. */
  public static int requested(PodRequest request) {
    return request.gpus().orElse(ALL);
  }
}
