package dev.cotenant.service.intake;

import dev.cotenant.service.intake.Connection.Stage;
import dev.cotenant.service.intake.Connection.Standing;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The connections of one listener, within their bounds. Safe for use by many threads.
 *
 * <p>Where a bound is reached, a newcomer takes the place of the connection that is idle for
 * longest, else of the one that has kept its head or body unfinished for longest and for more than
 * two seconds, among those that the bound counts. So slow connections lose to callers that send,
 * and an overload of callers that send is refused at the accept, before the handshake. So it is
 * while the event loops are behind: refusing later costs nearly as much as answering.
 */
final class ConnectionLimits {
  /** A caller that sends is done with a handshake or a body by then, even on a loaded machine. */
  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Beyond that lag of the event loops, a newcomer would be answered too late. */
  private static final long MAX_LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** So many connections are admitted whatever the lag: the service goes on answering. */
  private static final int MIN_CONNECTIONS = 8;

  private final IntakeSettings settings;
  private final Consumer<ShedCause> shed;
  private final Set<Connection> open = new HashSet<>();
  private final Set<Connection> unproven = new HashSet<>();
  private final LoopLag lag = new LoopLag();

  /**
   * @param shed takes each refused connection or request
   */
  ConnectionLimits(IntakeSettings settings, Consumer<ShedCause> shed) {
    this.settings = settings;
    this.shed = shed;
  }

  IntakeSettings.Deadlines deadlines() {
    return settings.deadlines();
  }

  synchronized int size() {
    return open.size();
  }

  void shed(ShedCause cause) {
    shed.accept(cause);
  }

  /** The connection of an accepted channel; empty where there is no room for it. */
  Optional<Connection> admit(Channel channel) {
    Connection newcomer = new Connection(channel, peer(channel), this);
    if (!hasRoom(newcomer)) {
      shed(ShedCause.CONNECTIONS);
      return Optional.empty();
    }
    channel.closeFuture().addListener(_ -> closed(newcomer));
    return Optional.of(newcomer);
  }

  private synchronized boolean hasRoom(Connection newcomer) {
    IntakeSettings.Connections most = settings.connections();
    Predicate<Connection> ofPeer = other -> other.peer().equals(newcomer.peer());
    boolean room =
        (open.size() < MIN_CONNECTIONS || lag.nanos() < MAX_LAG_NANOS)
            && isBelow(most.unproven(), unproven, _ -> true)
            && isBelow(most.perPeer(), open, ofPeer)
            && isBelow(most.most(), open, _ -> true);
    if (room) {
      open.add(newcomer);
      unproven.add(newcomer);
    }
    return room;
  }

  /** Whether one more fits, if need be in the place of another. */
  private boolean isBelow(int most, Set<Connection> all, Predicate<Connection> counted) {
    List<Connection> those = all.stream().filter(counted).toList();
    if (those.size() < most) {
      return true;
    }
    long now = System.nanoTime();
    Optional<Connection> spare =
        those.stream()
            .filter(connection -> isSpare(connection.standing(), now))
            .min(
                Comparator.<Connection, Boolean>comparing(c -> c.standing().stage() != Stage.IDLE)
                    .thenComparingLong(c -> c.standing().since() - now));
    spare.ifPresent(this::evict);
    return spare.isPresent();
  }

  private static boolean isSpare(Standing standing, long now) {
    return switch (standing.stage()) {
      case IDLE -> true;
      case UNPROVEN, HEAD, BODY -> now - standing.since() > SLOW_NANOS;
      case ANSWER -> false;
    };
  }

  private void evict(Connection connection) {
    remove(connection);
    if (connection.standing().stage() != Stage.IDLE) {
      shed(ShedCause.CONNECTIONS);
    }
    connection.inEventLoop(connection::cut);
  }

  synchronized void proven(Connection connection) {
    unproven.remove(connection);
  }

  private synchronized void closed(Connection connection) {
    remove(connection);
  }

  private void remove(Connection connection) {
    open.remove(connection);
    unproven.remove(connection);
  }

  /** Cuts every connection whose stage took too long, and measures the event loops. */
  void sweep() {
    long now = System.nanoTime();
    List<Connection> over;
    synchronized (this) {
      open.forEach(connection -> lag.measure(connection.loop()));
      over = open.stream().filter(connection -> connection.standing().isOver(now)).toList();
    }
    over.forEach(connection -> connection.inEventLoop(connection::cutIfOver));
  }

  private static Object peer(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress address
        ? address.getAddress()
        : channel.id(); // gone before it was accepted
  }
}
