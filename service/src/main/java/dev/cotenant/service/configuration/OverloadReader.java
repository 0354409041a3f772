package dev.cotenant.service.configuration;

import static dev.cotenant.service.configuration.Range.between;
import static dev.cotenant.service.configuration.Range.positive;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.overload.OverloadSettings;

/** Reads the limits of load shedding. */
public final class OverloadReader {
  private static final int MAX_CONNECTIONS = 100_000;
  private static final double MAX_SHARE = 0.75;
  private static final double MIN_SHARE = 0.01;

  private final OverloadConfiguration configured;
  private final long heapBytes;

  /**
   * @param heapBytes the largest heap
   */
  public OverloadReader(OverloadConfiguration configured, long heapBytes) {
    this.configured = configured;
    this.heapBytes = heapBytes;
  }

  /**
   * Reads everything.
   *
   * @throws InputException ({@code bad-configuration}) naming the first key that is out of range
   */
  public OverloadSettings read() {
    double share = between("server.heap-share", configured.heapShare(), MIN_SHARE, MAX_SHARE);
    int most = count("server.connections", configured.connections(), MAX_CONNECTIONS);
    return new OverloadSettings(
        (long) (share * heapBytes),
        new OverloadSettings.Connections(
            most,
            count("server.connections-per-peer", configured.connectionsPerPeer(), most),
            count("server.handshakes", configured.handshakes(), most)),
        count("server.reviews", configured.reviews(), MAX_CONNECTIONS),
        new OverloadSettings.Deadlines(
            positive("server.handshake-deadline", configured.handshakeDeadline()),
            positive("server.head-deadline", configured.headDeadline()),
            positive("server.body-deadline", configured.bodyDeadline()),
            positive("server.request-deadline", configured.requestDeadline()),
            positive("server.idle-deadline", configured.idleDeadline())));
  }

  private static int count(String key, int value, int most) {
    return (int) between(key, value, 1, most);
  }
}
