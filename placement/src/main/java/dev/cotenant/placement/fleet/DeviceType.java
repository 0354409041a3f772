package dev.cotenant.placement.fleet;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.profile.DeviceProfile;
import org.jspecify.annotations.Nullable;

/**
 * GPUs that can be had.
 *
 * @param id in the catalogue
 * @param memory of one
 * @param pricePerHour of one GPU per hour, at least 0, in any currency
 * @param maxCount how many there are, at least 1
 * @param profile its interference coefficients; null where it was never profiled, and services
 *     cannot be placed on it
 */
public record DeviceType(
    String id,
    MemorySize memory,
    double pricePerHour,
    int maxCount,
    @Nullable DeviceProfile profile) {
  public DeviceType {
    if (!(pricePerHour >= 0 && pricePerHour < Double.POSITIVE_INFINITY)) {
      throw InputException.invalidArgument(
          "price-out-of-range",
          "The price of device '" + id + "' must be at least 0, is " + pricePerHour + ".");
    }
    if (maxCount < 1) {
      throw InputException.invalidArgument(
          "count-out-of-range",
          "The count of device '" + id + "' must be at least 1, is " + maxCount + ".");
    }
  }
}
