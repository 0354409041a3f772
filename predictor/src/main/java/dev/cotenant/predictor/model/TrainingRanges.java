package dev.cotenant.predictor.model;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.ModelFeatures;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Where the training rows lie: the ranges of the model features, apart for each device, so that a
 * few large models on one device vouch for nothing on another.
 */
public final class TrainingRanges {
  private final NavigableMap<DeviceId, Hull> byDevice;
  private final Hull anyDevice;

  /**
   * @throws IllegalArgumentException when there is no device
   */
  TrainingRanges(Map<DeviceId, Hull> byDevice) {
    this.byDevice = new TreeMap<>(byDevice);
    if (byDevice.isEmpty()) {
      throw new IllegalArgumentException("ranges need a device");
    }
    Hull all = this.byDevice.firstEntry().getValue();
    for (Hull hull : byDevice.values()) {
      all = all.union(hull);
    }
    this.anyDevice = all;
  }

  /** The ranges of at least one row: the device it ran on and, at the same place, its vector. */
  public static TrainingRanges of(List<DeviceId> devices, float[][] vectors) {
    if (devices.size() != vectors.length) {
      throw new IllegalArgumentException(
          devices.size() + " devices for " + vectors.length + " vectors");
    }
    SortedMap<DeviceId, Hull> hulls = new TreeMap<>();
    for (int row = 0; row < vectors.length; row++) {
      hulls.merge(devices.get(row), Hull.of(vectors[row]), Hull::union);
    }
    return new TrainingRanges(hulls);
  }

  /** The devices that rows ran on, sorted. */
  public List<DeviceId> devices() {
    return List.copyOf(byDevice.keySet());
  }

  /**
   * In which respects a question is new: its model against the rows of its device; on a device
   * without rows, against those of all.
   */
  public Novelty novelty(ModelFeatures model, DeviceId device) {
    Hull hull = byDevice.getOrDefault(device, anyDevice);
    return new Novelty(device, hull.describeOutside(model), !byDevice.containsKey(device));
  }

  List<Hull> hulls() {
    return List.copyOf(byDevice.values());
  }
}
