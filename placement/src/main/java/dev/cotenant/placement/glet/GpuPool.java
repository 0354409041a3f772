package dev.cotenant.placement.glet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.placement.fleet.DeviceType;

/**
 * Available GPUs of one kind.
 *
 * @param memory of one
 * @param count how many, at least 1
 */
public record GpuPool(MemorySize memory, int count) {
  static GpuPool of(DeviceType type) {
    return new GpuPool(type.memory(), type.maxCount());
  }

  boolean holds(GpuLayout layout) {
    return layout.memory().compareTo(memory) <= 0;
  }
}
