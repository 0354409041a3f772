package dev.cotenant.forecast.prometheus;

/** The metrics server gave no answer, so that it gives none to other queries now either. */
public final class MetricsUnreachableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public MetricsUnreachableException(String why) {
    super(why);
  }
}
