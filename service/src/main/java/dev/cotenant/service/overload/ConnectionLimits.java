package dev.cotenant.service.overload;

import dev.cotenant.service.overload.Connection.Stage;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;

/**
 * The connections of one listener, within their bounds. Safe for use by many threads.
 *
 * <p>Where a bound is reached, a newcomer takes the place of a connection of the peer that has most
 * of those that the bound counts, if that is more than its own peer has: the one that is idle for
 * longest, else the one whose head or body is unfinished for longest and for more than two seconds.
 * Else it takes the place of one that is idle, or unfinished, for more than two seconds. So one
 * peer does not shut out another, and slow connections lose to callers that send.
 *
 * <p>Overload is refused at the accept, before the handshake, as refusing later costs nearly as
 * much as answering: while the event loops are behind, and while there are more connections than
 * reviews that may be in progress and reviews are behind. A peer with few connections, such as a
 * kubelet that probes, is admitted nevertheless. Where refusals are many, the kernel refuses in
 * this process' place.
 */
final class ConnectionLimits {

  /** A caller that sends is done with a handshake or a body by then, even on a loaded machine. */
  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A handshake waits so often for its event loop, with some to spare. */
  private static final int WAITS_OF_A_HANDSHAKE = 8;

  /** Beyond that lag of the event loops, a newcomer would be answered too late. */
  private static final long MAX_LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Beyond that lag, the first review of a newcomer would be answered after more than a second. */
  private static final long MAX_LAG_OF_REVIEWS_NANOS =
      TimeUnit.SECONDS.toNanos(1) / WAITS_OF_A_HANDSHAKE;

  /** With that lag event loops always have work: refusals take time that answers need. */
  private static final long BUSY_LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** So many connections are admitted whatever the lag: the service goes on answering. */
  private static final int MIN_CONNECTIONS = 32;

  /** A peer with fewer connections is admitted whatever the lag: probes open one each. */
  private static final int FEW_OF_PEER = 4;

  /** One peer has at most this part of the connections before their first request. */
  private static final int UNPROVEN_PARTS = 4;

  private final OverloadSettings settings;
  private final boolean ofWebhooks;
  private final ReviewSlots reviews;
  private final ObjLongConsumer<ShedCause> shed;
  private final ConnectionsByPeer open = new ConnectionsByPeer();
  private final ConnectionsByPeer unproven = new ConnectionsByPeer();
  private final LoopLag lag = new LoopLag();
  private final Refusals refusals = new Refusals();

  /** Groups of connections without a slow one at the last search since the last sweep. */
  private final Set<Collection<Connection>> withoutSlow =
      Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * @param ofWebhooks whether the callers send reviews, which have a second to be answered
   * @param reviews in progress, on all listeners
   * @param shed takes the cause and the number of refused connections or requests
   */
  ConnectionLimits(
      OverloadSettings settings,
      boolean ofWebhooks,
      ReviewSlots reviews,
      ObjLongConsumer<ShedCause> shed) {
    this.settings = settings;
    this.ofWebhooks = ofWebhooks;
    this.reviews = reviews;
    this.shed = shed;
  }

  OverloadSettings.Deadlines deadlines() {
    return settings.deadlines();
  }

  synchronized int size() {
    return open.all().size();
  }

  /** Whether there are more connections than reviews that may be in progress. */
  boolean isSurplus() {
    return size() > reviews.limit();
  }

  void shed(ShedCause cause) {
    shed(cause, 1);
  }

  void shed(ShedCause cause, long count) {
    shed.accept(cause, count);
  }

  /** The connection of an accepted channel; empty where there is no capacity for it. */
  Optional<Connection> admit(Channel channel) {
    Connection newcomer = new Connection(channel, peer(channel), this);
    if (!accepts(newcomer)) {
      refuse(newcomer);
      return Optional.empty();
    }
    channel.closeFuture().addListener(_ -> closed(newcomer));
    return Optional.of(newcomer);
  }

  private void refuse(Connection newcomer) {
    shed(ShedCause.CONNECTIONS);
    synchronized (this) {
      refusals.add(newcomer.peer());
    }
  }

  /**
   * Whether the kernel is to refuse connections for a while: refusals take time that answers need,
   * and no new connection would be admitted.
   */
  synchronized boolean isFlooded() {
    return refusals.areMany(open.peers()) && isBusy();
  }

  /** A port that was closed is open again: the first refusal shows that the flood goes on. */
  synchronized void reopened() {
    refusals.expect();
  }

  /** Whether the reviews in progress take all the time there is. */
  boolean isBusy() {
    return reviews.isBusy() || lag.nanos() >= BUSY_LAG_NANOS;
  }

  private synchronized boolean accepts(Connection newcomer) {
    Set<Connection> own = open.of(newcomer.peer());
    if (isOverloaded(own.size())) {
      return false;
    }
    OverloadSettings.Connections most = settings.connections();
    Set<Connection> unprovenOfPeer = unproven.of(newcomer.peer());
    Set<Connection> victims = new HashSet<>();
    boolean accepted =
        fits(unprovenOfPeer, Math.ceilDiv(most.unproven(), UNPROVEN_PARTS), victims)
            && fits(own, most.perPeer(), victims)
            && fits(unproven, most.unproven(), newcomer, victims)
            && fits(open, most.most(), newcomer, victims);
    if (accepted) {
      victims.forEach(this::evict);
      open.add(newcomer);
      unproven.add(newcomer);
    }
    return accepted;
  }

  private boolean isOverloaded(int ofPeer) {
    return ofPeer >= FEW_OF_PEER
        && ((isSurplus() && areReviewsBehind())
            || (size() >= MIN_CONNECTIONS && lag.nanos() >= MAX_LAG_NANOS));
  }

  private boolean areReviewsBehind() {
    return reviews.isBusy() || (ofWebhooks && lag.nanos() >= MAX_LAG_OF_REVIEWS_NANOS);
  }

  /** Whether the newcomer is within a bound of its peer, if need be in the place of a victim. */
  private boolean fits(Set<Connection> own, int most, Set<Connection> victims) {
    return own.size() < most
        || victims.stream().anyMatch(own::contains)
        || addVictim(own, slowNanos(), victims);
  }

  /** Whether the newcomer is within a bound of all, if need be in the place of a victim. */
  private boolean fits(
      ConnectionsByPeer all, int most, Connection newcomer, Set<Connection> victims) {
    if (all.all().size() < most || victims.stream().anyMatch(all.all()::contains)) {
      return true;
    }
    Collection<Connection> largest = all.largest();
    return largest.size() > all.of(newcomer.peer()).size() + 1
        ? addVictim(largest, 0, victims)
        : addVictim(all.all(), slowNanos(), victims);
  }

  private long slowNanos() {
    return SLOW_NANOS + WAITS_OF_A_HANDSHAKE * lag.nanos();
  }

  /**
   * Adds the connection to part with first; false where there is none. A search for slow ones that
   * found none holds until the next sweep, as a refusal must cost less than an answer.
   */
  @SuppressWarnings("CollectionUndefinedEquality") // by identity
  private boolean addVictim(Collection<Connection> some, long slowNanos, Set<Connection> victims) {
    if (slowNanos > 0 && withoutSlow.contains(some)) {
      return false;
    }
    long now = System.nanoTime();
    Optional<Connection> spare =
        some.stream()
            .filter(connection -> connection.isSpare(now, slowNanos))
            .min(
                Comparator.<Connection, Boolean>comparing(c -> c.standing().stage() != Stage.IDLE)
                    .thenComparingLong(c -> c.standing().since() - now));
    spare.ifPresentOrElse(victims::add, () -> withoutSlow.add(some));
    return spare.isPresent();
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

  /** Measures the event loops, and counts refusals again. */
  void measure() {
    synchronized (this) {
      refusals.clear();
    }
    lag.measure();
  }

  /** Cuts every connection whose stage took too long. */
  void sweep() {
    long now = System.nanoTime();
    List<Connection> over;
    synchronized (this) {
      withoutSlow.clear();
      List<Connection> registered = open.all().stream().filter(Connection::isRegistered).toList();
      registered.forEach(connection -> lag.add(connection.loop()));
      over = registered.stream().filter(connection -> connection.isOver(now)).toList();
    }
    over.forEach(connection -> connection.inEventLoop(connection::cutIfOver));
  }

  private static Object peer(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress address
        ? address.getAddress()
        : channel.id(); // gone before it was accepted
  }
}
