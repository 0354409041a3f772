package dev.cotenant.service.intake;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that request bodies in flight may hold, over all listeners. Safe for use by many
 * threads.
 *
 * <p>A quarter is reserved for small bodies: bodies of megabytes that never end cannot keep the
 * reviews of usual pods out.
 */
public final class IntakeBudget {
  /** A review of 20 kB with its tree; pods have a few. */
  static final long SMALL_BYTES = 256 << 10;

  private static final int RESERVED_SHARE = 4;

  private final long limit;
  private final AtomicLong inFlight = new AtomicLong();

  IntakeBudget(long limit) {
    this.limit = limit;
  }

  /** Memory in flight, in bytes; never more than the limit. */
  public long inFlight() {
    return inFlight.get();
  }

  /** What one request holds: nothing yet. */
  public Charge open() {
    return new Charge();
  }

  private boolean take(long bytes, long ceiling) {
    long before;
    do {
      before = inFlight.get();
      if (bytes > ceiling - before) {
        return false;
      }
    } while (!inFlight.compareAndSet(before, before + bytes));
    return true;
  }

  /** What one request holds of the budget until it is closed; closing again does nothing. */
  public final class Charge implements AutoCloseable {
    private long held;
    private boolean closed;

    private Charge() {}

    /** Takes memory for so many bytes of a text that arrive; false leaves everything as it was. */
    public boolean receive(long bytes) {
      return grow(Footprint.received(bytes));
    }

    /** Takes memory for reading a part of a text; false leaves everything as it was. */
    public boolean read(byte[] text, int offset, int length) {
      return grow(Footprint.read(text, offset, length));
    }

    synchronized boolean grow(long bytes) {
      boolean small = held + bytes <= SMALL_BYTES;
      long ceiling = small ? limit : limit - limit / RESERVED_SHARE;
      boolean taken = !closed && take(bytes, ceiling);
      held += taken ? bytes : 0;
      return taken;
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        inFlight.addAndGet(-held);
      }
    }
  }
}
