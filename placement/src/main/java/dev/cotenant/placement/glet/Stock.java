package dev.cotenant.placement.glet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.placement.fleet.DeviceType;

/**
 * GPUs of one kind that can be had.
 *
 * @param device its id
 * @param memory of one
 * @param count how many, at least 1
 */
record Stock(String device, MemorySize memory, int count) {
  static Stock of(DeviceType type) {
    return new Stock(type.id(), type.memory(), type.maxCount());
  }

  boolean holds(Card card) {
    return card.memory().compareTo(memory) <= 0;
  }
}
