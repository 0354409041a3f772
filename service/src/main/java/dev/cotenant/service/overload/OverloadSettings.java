package dev.cotenant.service.overload;

import java.time.Duration;

/**
 * Bounds on what callers can make the process hold.
 *
 * @param bodyBytes memory of request bodies in flight, over all listeners
 * @param connections bounds of each listener
 * @param reviews reviews that are answered at a time
 * @param deadlines of each connection
 */
public record OverloadSettings(
    long bodyBytes, Connections connections, int reviews, Deadlines deadlines) {
  public OverloadSettings {
    if (bodyBytes < 1 || reviews < 1) {
      throw new IllegalArgumentException(
          "bounds must be positive: " + bodyBytes + " bytes, " + reviews + " reviews");
    }
  }

  /**
   * Connections of one listener.
   *
   * @param most open at a time
   * @param perPeer of these, from one address
   * @param unproven of these, before their first request: TLS handshakes in progress
   */
  public record Connections(int most, int perPeer, int unproven) {
    public Connections {
      if (perPeer < 1 || unproven < 1 || perPeer > most || unproven > most) {
        throw new IllegalArgumentException(
            "must be in [1, " + most + "]: " + perPeer + " per peer, " + unproven + " unproven");
      }
    }
  }

  /**
   * How long a connection may take for each stage; bytes that arrive do not restart any.
   *
   * @param handshake of TLS
   * @param head from the first byte of a request, or from the accept, to the whole head
   * @param body of a request whose caller is unknown
   * @param request of a body whose caller is known, and of every answer
   * @param idle between requests
   */
  public record Deadlines(
      Duration handshake, Duration head, Duration body, Duration request, Duration idle) {}
}
