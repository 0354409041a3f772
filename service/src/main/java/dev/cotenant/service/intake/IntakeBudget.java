package dev.cotenant.service.intake;

import java.util.HashMap;
import java.util.Map;

/**
 * The memory that request bodies in flight may hold, over all listeners. Safe for use by many
 * threads.
 *
 * <p>A quarter is reserved for small bodies: bodies of megabytes that never end cannot keep the
 * reviews of usual pods out. One peer holds at most half of what is left to its bodies' kind, so
 * that it does not shut out the others.
 */
public final class IntakeBudget {
  /** A review of 20 kB with its tree; pods have a few. */
  static final long SMALL_BYTES = 256 << 10;

  private static final int RESERVED_SHARE = 4;
  private static final int PEER_SHARE = 2;

  private final long limit;
  private final Map<Object, Long> ofPeers = new HashMap<>();
  private long inFlight;

  IntakeBudget(long limit) {
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

  private synchronized boolean fits(Charge charge, long bytes, long ceiling) {
    long ofPeer = ofPeers.getOrDefault(charge.peer, 0L);
    return bytes <= ceiling - inFlight && bytes <= ceiling / charge.share - ofPeer;
  }

  private synchronized boolean take(Charge charge, long bytes, long ceiling) {
    boolean taken = fits(charge, bytes, ceiling);
    if (taken) {
      add(charge.peer, bytes);
    }
    return taken;
  }

  private synchronized void add(Object peer, long bytes) {
    inFlight += bytes;
    long ofPeer = ofPeers.getOrDefault(peer, 0L) + bytes;
    if (ofPeer == 0) {
      ofPeers.remove(peer);
    } else {
      ofPeers.put(peer, ofPeer);
    }
  }

  /** Part of the budget that one request holds until it is closed; closing again has no effect. */
  public final class Charge implements AutoCloseable {
    private final Object peer;
    private final int share;
    private long held;
    private boolean closed;

    private Charge(Object peer, int share) {
      this.peer = peer;
      this.share = share;
    }

    /** Takes memory for so many bytes of a text that arrive; false leaves everything as it was. */
    public boolean receive(long bytes) {
      return grow(Footprint.received(bytes));
    }

    /** Takes memory for reading a part of a text; false leaves everything as it was. */
    public boolean read(byte[] text, int offset, int length) {
      return grow(Footprint.read(text, offset, length));
    }

    /** Whether there is memory for so many bytes of a text now; takes none. */
    public synchronized boolean fits(long bytes) {
      long memory = Footprint.received(bytes);
      return IntakeBudget.this.fits(this, memory, ceiling(memory));
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
        add(peer, -held);
      }
    }
  }
}
