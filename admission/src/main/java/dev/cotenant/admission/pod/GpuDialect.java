package dev.cotenant.admission.pod;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The convention of a GPU request. */
public enum GpuDialect {
  NVIDIA(true, null),
  HAMI(true, "hami.io/vgpu-devices-allocated"),
  KAI(false, null),
  GPUSHARE(true, "ALIYUN_COM_GPU_MEM_IDX"),
  VOLCANO(true, "volcano.sh/vgpu-ids-new"),
  KOORDINATOR(true, "scheduling.koordinator.sh/device-allocated"),
  /** Dynamic resource allocation: the pod names a ResourceClaim. */
  DRA(false, null);

  private final boolean asksDevicePlugin;
  private final @Nullable String allocation;

  GpuDialect(boolean asksDevicePlugin, @Nullable String allocation) {
    this.asksDevicePlugin = asksDevicePlugin;
    this.allocation = allocation;
  }

  /** Whether the request goes to the node's device plugin, which chooses the GPU. */
  public boolean asksDevicePlugin() {
    return asksDevicePlugin;
  }

  /** The annotation by which its scheduler names a pod's GPUs; null where it writes none. */
  public @Nullable String allocation() {
    return allocation;
  }

  /** The name in annotations: {@code hami}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
