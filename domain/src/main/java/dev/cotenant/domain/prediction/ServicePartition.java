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
   * The same service in the largest of the shares that are granted within an MPS limit, which is
   * rounded up to whole percents.
   */
  ServicePartition within(Share limit);
}
