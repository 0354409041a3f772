package dev.cotenant.domain.device;

import dev.cotenant.domain.quantity.MemorySize;

/** The product of a GPU in a cluster. */
public sealed interface GpuProduct permits Device, UnlistedProduct {
  /** Its name in decisions, limits and messages. */
  DeviceId id();

  /** The driver's name of it. */
  String productName();

  /** Device memory; nominal where the catalogue has the product. */
  MemorySize memory();
}
