package dev.cotenant.service.configuration;

import static dev.cotenant.service.configuration.Range.between;
import static dev.cotenant.service.configuration.Range.positive;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.intake.IntakeSettings;

/** Reads the bounds of the intake. */
public final class IntakeReader {
  private static final int MAX_CONNECTIONS = 100_000;
  private static final double MAX_SHARE = 0.75;
  private static final double MIN_SHARE = 0.01;

  private final IntakeConfiguration intake;
  private final long heapBytes;

  /**
   * @param heapBytes the largest heap
   */
  public IntakeReader(IntakeConfiguration intake, long heapBytes) {
    this.intake = intake;
    this.heapBytes = heapBytes;
  }

  /**
   * Reads everything.
   *
   * @throws InputException ({@code bad-configuration}) naming the first key that is out of range
   */
  public IntakeSettings read() {
    double share = between("server.heap-share", intake.heapShare(), MIN_SHARE, MAX_SHARE);
    int most = count("server.connections", intake.connections(), MAX_CONNECTIONS);
    return new IntakeSettings(
        (long) (share * heapBytes),
        new IntakeSettings.Connections(
            most,
            count("server.connections-per-peer", intake.connectionsPerPeer(), most),
            count("server.handshakes", intake.handshakes(), most)),
        count("server.reviews", intake.reviews(), MAX_CONNECTIONS),
        new IntakeSettings.Deadlines(
            positive("server.handshake-deadline", intake.handshakeDeadline()),
            positive("server.head-deadline", intake.headDeadline()),
            positive("server.body-deadline", intake.bodyDeadline()),
            positive("server.request-deadline", intake.requestDeadline()),
            positive("server.idle-deadline", intake.idleDeadline())));
  }

  private static int count(String key, int value, int most) {
    return (int) between(key, value, 1, most);
  }
}
