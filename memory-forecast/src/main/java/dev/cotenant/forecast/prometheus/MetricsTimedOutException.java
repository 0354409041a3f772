package dev.cotenant.forecast.prometheus;

/** The metrics server did not answer a query in time; it may answer others. */
public final class MetricsTimedOutException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public MetricsTimedOutException(String why) {
    super(why);
  }
}
