package dev.cotenant.admission.pod;

/**
 * The share of a GPU's compute that a pod requests from its device plugin; a cap there, not a
 * measurement.
 *
 * @param percent in (0, 100]
 */
public record ComputeShare(double percent) {
  public ComputeShare {
    if (!(percent > 0 && percent <= 100)) {
      throw new IllegalArgumentException("percent must be in (0, 100], is " + percent);
    }
  }
}
