package dev.cotenant.admission.pod;

import java.util.Locale;

/** The convention of a GPU request. */
public enum GpuDialect {
  NVIDIA,
  HAMI,
  KAI,
  GPUSHARE,
  VOLCANO,
  KOORDINATOR,
  /** Dynamic resource allocation: the pod names a ResourceClaim. */
  DRA;

  /** Whether the request goes to the node's device plugin, which chooses the GPU. */
  public boolean asksDevicePlugin() {
    return switch (this) {
      case NVIDIA, HAMI, GPUSHARE, VOLCANO, KOORDINATOR -> true;
      case KAI, DRA -> false;
    };
  }

  /** Whether its products show a container the memory that it requests as that of the GPU. */
  public boolean showsRequestedMemory() {
    return this == HAMI || this == VOLCANO || this == KOORDINATOR;
  }

  /** The name in annotations: {@code hami}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
