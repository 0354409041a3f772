package dev.cotenant.admission.pod;

/** In whose words a pod asks for a GPU. */
public enum GpuDialect {
  NVIDIA,
  HAMI,
  KAI,
  GPUSHARE,
  VOLCANO,
  KOORDINATOR
}
