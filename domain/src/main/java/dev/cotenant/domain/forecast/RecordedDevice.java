package dev.cotenant.domain.forecast;

import dev.cotenant.domain.quantity.MemorySize;

/**
 * A recording of one device's used memory.
 *
 * @param name unique in its set, such as {@code pod-17}
 * @param group group of similar series, which share a fold
 * @param series at least one sample
 * @param capacity memory that workloads could use, positive
 */
public record RecordedDevice(String name, String group, MemorySeries series, MemorySize capacity) {
  public RecordedDevice {
    if (series.isEmpty()) {
      throw new IllegalArgumentException("series of " + name + " must not be empty");
    }
    if (capacity.bytes() == 0) {
      throw new IllegalArgumentException("capacity of " + name + " must be positive");
    }
  }
}
