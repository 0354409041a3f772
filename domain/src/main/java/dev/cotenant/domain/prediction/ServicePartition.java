package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Share;

/**
 * A profiled service in its partition of a GPU. The coefficients are known to the model of
 * interference that predicts such services beside each other.
 */
public interface ServicePartition {
  /** Of the device's compute. */
  Share share();

  /** The same service in another partition. */
  ServicePartition in(Share other);

  /**
   * The same service in the share of which an MPS limit is written, rounded up to whole percents;
   * in the limit itself where it is of none that the profile's steps have.
   */
  ServicePartition within(Share limit);
}
