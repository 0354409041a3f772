package dev.cotenant.admission.pod;

/**
 * The request rate of a service.
 *
 * @param perSecond positive, finite
 */
public record RequestRate(double perSecond) {
  public RequestRate {
    if (!(perSecond > 0 && perSecond < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("perSecond must be positive and finite, is " + perSecond);
    }
  }
}
