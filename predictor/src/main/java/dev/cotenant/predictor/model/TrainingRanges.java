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
  private final NavigableMap<DeviceId, FeatureRanges> byDevice;
  private final FeatureRanges anyDevice;

  /**
   * @throws IllegalArgumentException when there is no device
   */
  TrainingRanges(Map<DeviceId, FeatureRanges> byDevice) {
    this.byDevice = new TreeMap<>(byDevice);
    if (byDevice.isEmpty()) {
      throw new IllegalArgumentException("ranges need a device");
    }
    FeatureRanges all = this.byDevice.firstEntry().getValue();
    for (FeatureRanges featureRanges : byDevice.values()) {
      all = all.union(featureRanges);
    }
    this.anyDevice = all;
  }

  /** The ranges of at least one row: the device it ran on and, at the same place, its vector. */
  public static TrainingRanges of(List<DeviceId> devices, float[][] vectors) {
    if (devices.size() != vectors.length) {
      throw new IllegalArgumentException(
          devices.size() + " devices for " + vectors.length + " vectors");
    }
    SortedMap<DeviceId, FeatureRanges> deviceRanges = new TreeMap<>();
    for (int row = 0; row < vectors.length; row++) {
      deviceRanges.merge(devices.get(row), FeatureRanges.of(vectors[row]), FeatureRanges::union);
    }
    return new TrainingRanges(deviceRanges);
  }

  /** The devices that rows ran on, sorted. */
  public List<DeviceId> devices() {
    return List.copyOf(byDevice.keySet());
  }

  /**
   * Novelty of a question: its model against the rows of its device, or against all rows if the
   * device has none.
   */
  public Novelty novelty(ModelFeatures model, DeviceId device) {
    FeatureRanges featureRanges = byDevice.getOrDefault(device, anyDevice);
    return new Novelty(device, featureRanges.describeOutside(model), !byDevice.containsKey(device));
  }

  List<FeatureRanges> deviceRanges() {
    return List.copyOf(byDevice.values());
  }
}
