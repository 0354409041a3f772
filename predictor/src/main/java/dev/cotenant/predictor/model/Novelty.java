package dev.cotenant.predictor.model;

import dev.cotenant.domain.device.DeviceId;
import java.util.List;
import java.util.Set;

/**
 * In which respects a question lies outside the training data.
 *
 * @param device the device of the request
 * @param outsideFeatures one description for each model feature beyond the range of the training
 *     rows on the device, or of all rows when none ran on it
 * @param unseenDevice whether no training row ran on the device
 */
public record Novelty(DeviceId device, List<String> outsideFeatures, boolean unseenDevice) {
  public Novelty {
    outsideFeatures = List.copyOf(outsideFeatures);
  }

  /** Copy that counts these devices as measured. */
  public Novelty withMeasured(Set<DeviceId> devices) {
    return new Novelty(device, outsideFeatures, unseenDevice && !devices.contains(device));
  }
}
