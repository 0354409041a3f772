package dev.cotenant.predictor.forest;

import java.util.List;

/**
 * In which respects a question lies outside the training data.
 *
 * @param outsideFeatures one description for each model feature beyond its training range
 * @param unseenDevice whether no training row ran on the device
 */
public record Novelty(List<String> outsideFeatures, boolean unseenDevice) {
  public Novelty {
    outsideFeatures = List.copyOf(outsideFeatures);
  }

  boolean unseenModel() {
    return !outsideFeatures.isEmpty();
  }
}
