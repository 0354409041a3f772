package dev.cotenant.service.rest;

/** The body exceeds the memory budget of requests in flight. */
final class OverloadedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OverloadedException() {
    super(
        "Requests in flight have reached the memory limit: retry later, send less at once, or"
            + " raise cotenant.server.heap-share or the heap.");
  }
}
