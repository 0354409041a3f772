package dev.cotenant.service.rest;

/** As many streams of events are open as may be. */
public final class StreamsBusyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StreamsBusyException(int most) {
    super(
        "As many streams of events are open as may be, "
            + most
            + ": close a page that shows this cluster, or try again later.");
  }
}
