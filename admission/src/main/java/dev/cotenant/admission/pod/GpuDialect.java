package dev.cotenant.admission.pod;

import java.util.Locale;

/** In whose words a pod asks for a GPU. */
public enum GpuDialect {
  NVIDIA,
  HAMI,
  KAI,
  GPUSHARE,
  VOLCANO,
  KOORDINATOR,
  /** Dynamic resource allocation: the pod names a ResourceClaim. */
  DRA;

  /** Whether it asks the node's device plugin, which then gives a GPU of its own choice. */
  public boolean asksDevicePlugin() {
    return switch (this) {
      case NVIDIA, HAMI, GPUSHARE, VOLCANO, KOORDINATOR -> true;
      case KAI, DRA -> false;
    };
  }

  /** As it is written: {@code hami}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
