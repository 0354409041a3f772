package dev.cotenant.service.rest;

/** As many streams of events are open as may be. */
public final class StreamsBusyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StreamsBusyException(int most) {
    super(
        "The limit of open event streams is reached, "
            + most
            + ": close a page of this cluster, or retry later.");
  }
}
