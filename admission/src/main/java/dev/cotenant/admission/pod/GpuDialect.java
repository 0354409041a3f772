package dev.cotenant.admission.pod;

import java.util.Locale;

/** In whose words a pod asks for a GPU. */
public enum GpuDialect {
  NVIDIA,
  HAMI,
  KAI,
  GPUSHARE,
  VOLCANO,
  KOORDINATOR;

  /** As it is written: {@code hami}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
