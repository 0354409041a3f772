package dev.cotenant.admission.cluster;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which GPUs a pod has that was not granted them here, as far as its own scheduler says so.
 *
 * <p>HAMi and Volcano write uuids ({@code GPU-…,NVIDIA,4096,30:;}), and where Koordinator's JSON
 * has one it is taken as well, and a grant of ours that cannot be read otherwise. gpushare and
 * Koordinator else write the GPU's number on its node, which measurements do not have: how many
 * numbers there are says how many GPUs.
 */
public final class ForeignGpus {
  private static final String HAMI = "hami.io/vgpu-devices-allocated";
  private static final String VOLCANO = "volcano.sh/vgpu-ids-new";
  private static final String GPUSHARE = "ALIYUN_COM_GPU_MEM_IDX";
  private static final String KOORDINATOR = "scheduling.koordinator.sh/device-allocated";

  /** Annotations by which other systems say which GPU a pod has. */
  public static final Set<String> ANNOTATIONS = Set.of(HAMI, VOLCANO, GPUSHARE, KOORDINATOR);

  /** More than any node has. */
  static final int ALL = 1 << 10;

  private static final Pattern UUID =
      Pattern.compile("GPU-[0-9a-fA-F]{1,16}(?:-[0-9a-fA-F]{1,16}){0,8}");
  private static final Pattern INDEX = Pattern.compile("(?<![0-9-])[0-9]{1,2}(?![0-9])");
  private static final Pattern MINOR = Pattern.compile("\"minor\"\\s*:\\s*([0-9]{1,3})");

  private ForeignGpus() {}

  /**
   * What a pod has.
   *
   * @param uuids of GPUs that are known
   * @param others how many more, of which it is not known which
   */
  public record Found(List<String> uuids, int others) {}

  public static Found of(WatchedPod pod) {
    Map<String, String> said = pod.annotations();
    Set<String> uuids = new LinkedHashSet<>();
    for (String name : List.of(HAMI, VOLCANO, KOORDINATOR, CotenantAnnotations.ASSIGNED_GPU)) {
      UUID.matcher(said.getOrDefault(name, "")).results().forEach(m -> uuids.add(m.group()));
    }
    if (!uuids.isEmpty()) {
      return new Found(List.copyOf(uuids), 0);
    }
    Set<String> numbers = new LinkedHashSet<>();
    MINOR
        .matcher(said.getOrDefault(KOORDINATOR, ""))
        .results()
        .forEach(m -> numbers.add(m.group(1)));
    INDEX.matcher(said.getOrDefault(GPUSHARE, "")).results().forEach(m -> numbers.add(m.group()));
    return new Found(List.of(), numbers.isEmpty() ? asked(pod.request()) : numbers.size());
  }

  /** How many GPUs a pod asks for; {@link #ALL} where nobody knows. */
  public static int asked(PodRequest request) {
    return switch (request) {
      case PodRequest.Colocatable pod -> pod.gpu().gpus();
      case PodRequest.NoGpu _, PodRequest.MigInstance _ -> 0;
      case PodRequest.OptedOut _, PodRequest.Invalid _ -> ALL;
    };
  }
}
