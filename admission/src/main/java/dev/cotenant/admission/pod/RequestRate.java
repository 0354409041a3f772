package dev.cotenant.admission.pod;

/**
 * How many requests a service has to answer.
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
