package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Share;

/**
 * A profiled service in its partition of a GPU. Its coefficients belong to the interference model
 * that predicts such services.
 */
public interface ServicePartition {
  /** Of the device's compute. */
  Share share();

  /** The service in a different partition. */
  ServicePartition in(Share other);

  /**
   * The service at the share of an MPS limit, rounded up to whole percents; at the limit itself if
   * the profile has no such step.
   */
  ServicePartition within(Share limit);
}
