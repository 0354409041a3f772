package dev.cotenant.service.intake;

import dev.cotenant.service.intake.Connection.Stage;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * The connections of one listener, within their bounds. Safe for use by many threads.
 *
 * <p>Where a bound is reached, a newcomer takes the place of a connection of the peer that has most
 * of those that the bound counts, if that is more than its own peer has: the one that is idle for
 * longest, else the one whose head or body is unfinished for longest and for more than two seconds.
 * So one peer does not shut out another, slow connections lose to callers that send, and an
 * overload is refused at the accept, before the handshake. So it is while the event loops are
 * behind, as refusing later costs nearly as much as answering; a peer with few connections, such as
 * a kubelet that probes, is admitted nevertheless.
 */
final class ConnectionLimits {
  private static final Logger LOG = Logger.getLogger(ConnectionLimits.class);

  /** A caller that sends is done with a handshake or a body by then, even on a loaded machine. */
  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Beyond that lag of the event loops, a newcomer would be answered too late. */
  private static final long MAX_LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** So many connections are admitted whatever the lag: the service goes on answering. */
  private static final int MIN_CONNECTIONS = 32;

  /** A peer with fewer connections is admitted whatever the lag: probes open one each. */
  private static final int FEW_OF_PEER = 4;

  /** One peer has at most this part of the connections before their first request. */
  private static final int UNPROVEN_PARTS = 4;

  private final IntakeSettings settings;
  private final Consumer<ShedCause> shed;
  private final Set<Connection> open = new HashSet<>();
  private final Set<Connection> unproven = new HashSet<>();
  private final LoopLag lag = new LoopLag();

  /**
   * @param shed takes the cause of each refused connection or request
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

  /** The connection of an accepted channel; empty where there is no capacity for it. */
  Optional<Connection> admit(Channel channel) {
    Connection newcomer = new Connection(channel, peer(channel), this);
    if (!accepts(newcomer)) {
      shed(ShedCause.CONNECTIONS);
      return Optional.empty();
    }
    channel.closeFuture().addListener(_ -> closed(newcomer));
    return Optional.of(newcomer);
  }

  private synchronized boolean accepts(Connection newcomer) {
    Set<Connection> own = ofPeer(open, newcomer);
    if (isBehind(own.size())) {
      return false;
    }
    IntakeSettings.Connections most = settings.connections();
    int unprovenOfPeer = Math.ceilDiv(most.unproven(), UNPROVEN_PARTS);
    Set<Connection> victims = new HashSet<>();
    boolean accepted =
        fits(ofPeer(unproven, newcomer), unprovenOfPeer, newcomer, victims)
            && fits(own, most.perPeer(), newcomer, victims)
            && fits(unproven, most.unproven(), newcomer, victims)
            && fits(open, most.most(), newcomer, victims);
    if (accepted) {
      victims.forEach(this::evict);
      open.add(newcomer);
      unproven.add(newcomer);
    }
    return accepted;
  }

  private boolean isBehind(int ofPeer) {
    return ofPeer >= FEW_OF_PEER && open.size() >= MIN_CONNECTIONS && lag.nanos() >= MAX_LAG_NANOS;
  }

  private static Set<Connection> ofPeer(Set<Connection> all, Connection newcomer) {
    return all.stream()
        .filter(other -> other.peer().equals(newcomer.peer()))
        .collect(Collectors.toSet());
  }

  /** Whether the newcomer is within a bound, if need be in the place of a victim. */
  private static boolean fits(
      Set<Connection> counted, int most, Connection newcomer, Set<Connection> victims) {
    Set<Connection> left = new HashSet<>(counted);
    left.removeAll(victims);
    if (left.size() < most) {
      return true;
    }
    Optional<Connection> victim = victim(left, newcomer);
    victim.ifPresent(victims::add);
    return victim.isPresent();
  }

  /** Of the peer with most connections, whatever their age, if the newcomer's has fewer. */
  private static Optional<Connection> victim(Set<Connection> counted, Connection newcomer) {
    Map<Object, List<Connection>> byPeer =
        counted.stream().collect(Collectors.groupingBy(Connection::peer));
    List<Connection> largest =
        byPeer.values().stream().max(Comparator.comparingInt(List::size)).orElse(List.of());
    int own = byPeer.getOrDefault(newcomer.peer(), List.of()).size();
    return largest.size() > own + 1 ? spare(largest, 0) : spare(List.copyOf(counted), SLOW_NANOS);
  }

  private static Optional<Connection> spare(List<Connection> some, long slowNanos) {
    long now = System.nanoTime();
    return some.stream()
        .filter(connection -> connection.isSpare(now, slowNanos))
        .min(
            Comparator.<Connection, Boolean>comparing(c -> c.standing().stage() != Stage.IDLE)
                .thenComparingLong(c -> c.standing().since() - now));
  }

  private void evict(Connection connection) {
    remove(connection);
    if (connection.standing().stage() != Stage.IDLE) {
      shed(ShedCause.CONNECTIONS);
    }
    if (connection.isRegistered()) {
      connection.inEventLoop(connection::cut);
    } else {
      connection.cut();
    }
  }

  synchronized void proven(Connection connection) {
    unproven.remove(connection);
  }

  private void closed(Connection connection) {
    synchronized (this) {
      remove(connection);
    }
    connection.closed();
  }

  private void remove(Connection connection) {
    open.remove(connection);
    unproven.remove(connection);
  }

  /** Cuts every connection whose stage took too long, and measures the event loops. */
  void sweep() {
    try {
      long now = System.nanoTime();
      List<Connection> over;
      synchronized (this) {
        List<Connection> registered = open.stream().filter(Connection::isRegistered).toList();
        registered.forEach(connection -> lag.add(connection.loop()));
        over = registered.stream().filter(connection -> connection.isOver(now)).toList();
      }
      lag.measure();
      over.forEach(connection -> connection.inEventLoop(connection::cutIfOver));
    } catch (RuntimeException defect) { // the schedule would end with it, and all deadlines
      LOG.error("Bounds of connections are not checked this time", defect);
    }
  }

  private static Object peer(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress address
        ? address.getAddress()
        : channel.id(); // gone before it was accepted
  }
}
