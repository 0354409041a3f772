package dev.cotenant.service.rest.history;

/** As many streams of events are open as may be. */
public final class StreamsBusyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StreamsBusyException() {
    super(
        "As many streams of events are open as may be, "
            + EventStreams.MOST
            + ": close a page that shows this cluster, or try again later.");
  }
}
