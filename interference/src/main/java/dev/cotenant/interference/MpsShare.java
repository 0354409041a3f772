package dev.cotenant.interference;

import dev.cotenant.domain.InputException;

/**
 * The part of a GPU's compute that one MPS client may use.
 *
 * @param percent above 0 to 100
 */
public record MpsShare(double percent) {
  public MpsShare {
    if (!(percent > 0 && percent <= 100)) {
      throw InputException.invalidArgument(
          "share-out-of-range", "A share must be above 0 to 100 %, is " + percent + ".");
    }
  }
}
