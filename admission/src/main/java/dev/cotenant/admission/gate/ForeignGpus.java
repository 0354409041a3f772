package dev.cotenant.admission.gate;

import java.util.Set;

/** Which GPUs a pod has that was not granted them here, as far as its own scheduler says so. */
public final class ForeignGpus {
  /** Annotations by which other systems say which GPU a pod has. */
  public static final Set<String> ANNOTATIONS =
      Set.of(
          "hami.io/vgpu-devices-allocated",
          "volcano.sh/vgpu-ids-new",
          "ALIYUN_COM_GPU_MEM_IDX",
          "scheduling.koordinator.sh/device-allocated");

  private ForeignGpus() {}
}
