package dev.cotenant.service.overload;

import java.util.HashMap;
import java.util.Map;

/**
 * The memory that request bodies in flight may hold, over all listeners. Safe for use by many
 * threads.
 *
 * <p>A quarter is reserved for small bodies: bodies of megabytes that never end cannot keep the
 * reviews of usual pods out. One peer holds at most half of the remaining budget of its bodies'
 * kind, so that it does not shut out the others.
 */
public final class OverloadBudget {
  /** A review of 20 kB with its tree; pods have a few. */
  static final long SMALL_BYTES = 256 << 10;

  private static final int RESERVED_SHARE = 4;
  private static final int PEER_SHARE = 2;

  private final long limit;
  private final Map<Object, Peer> peers = new HashMap<>();
  private long inFlight;

  /** The charges of one peer; guarded by the budget. */
  private static final class Peer {
    long bytes;
    int charges;
  }

  OverloadBudget(long limit) {
    this.limit = limit;
  }

  /** Memory in flight, in bytes; never more than the limit. */
  public synchronized long inFlight() {
    return inFlight;
  }

  /** Opens an empty charge of an unknown caller. */
  public Charge open(Object peer) {
    return new Charge(peer, PEER_SHARE);
  }

  /** Opens an empty charge of a known caller, without a bound on its peer's share. */
  public Charge open() {
    return new Charge(this, 1);
  }

  private synchronized Peer join(Object name) {
    Peer peer = peers.computeIfAbsent(name, _ -> new Peer());
    peer.charges++;
    return peer;
  }

  private synchronized void leave(Charge charge) {
    inFlight -= charge.held;
    charge.peer.bytes -= charge.held;
    if (--charge.peer.charges == 0) {
      peers.remove(charge.name);
    }
  }

  private synchronized boolean fits(Charge charge, long bytes, long ceiling) {
    return hasCapacity(charge, bytes, ceiling);
  }

  private synchronized boolean take(Charge charge, long bytes, long ceiling) {
    boolean taken = hasCapacity(charge, bytes, ceiling);
    if (taken) {
      inFlight += bytes;
      charge.peer.bytes += bytes;
    }
    return taken;
  }

  private boolean hasCapacity(Charge charge, long bytes, long ceiling) {
    return bytes <= ceiling - inFlight && bytes <= ceiling / charge.share - charge.peer.bytes;
  }

  /** Part of the budget that one request holds until it is closed; closing again has no effect. */
  public final class Charge implements AutoCloseable {
    private final Object name;
    private final Peer peer;
    private final int share;
    private long held;
    private boolean closed;

    private Charge(Object name, int share) {
      this.name = name;
      this.peer = join(name);
      this.share = share;
    }

    /** Takes memory for so many bytes of a text that arrive; false leaves everything as it was. */
    public boolean receive(long bytes) {
      return grow(HeapEstimate.received(bytes));
    }

    /** Takes memory for reading a part of a text; false leaves everything as it was. */
    public boolean read(byte[] text, int offset, int length) {
      return grow(HeapEstimate.read(text, offset, length));
    }

    /** Whether there is memory for so many bytes of a text now; takes none. */
    public synchronized boolean fits(long bytes) {
      long memory = HeapEstimate.received(bytes);
      return OverloadBudget.this.fits(this, memory, ceiling(memory));
    }

    private long ceiling(long bytes) {
      boolean small = held + bytes <= SMALL_BYTES;
      return small ? limit : limit - limit / RESERVED_SHARE;
    }

    synchronized boolean grow(long bytes) {
      boolean taken = !closed && take(this, bytes, ceiling(bytes));
      held += taken ? bytes : 0;
      return taken;
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        leave(this);
      }
    }
  }
}
