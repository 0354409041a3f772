package dev.cotenant.admission.supervision;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** What goes wrong once in a loop, at a port that a test has in its hands. */
public final class Fault {
  /** The ways in which a loop fails. */
  public enum Kind {
    OUT_OF_MEMORY,
    STACK_OVERFLOW,
    LINKAGE,
    HANG;

    /** Whether the process ends whichever loop has it. */
    public boolean isOfTheMachine() {
      return this == OUT_OF_MEMORY || this == STACK_OVERFLOW;
    }
  }

  private final Kind kind;
  private final AtomicBoolean struck = new AtomicBoolean();
  private final CountDownLatch never = new CountDownLatch(1);

  public Fault(Kind kind) {
    this.kind = kind;
  }

  /** Goes wrong the first time that it is called; harmless afterwards. */
  public void strike() {
    if (struck.compareAndSet(false, true)) {
      switch (kind) {
        case OUT_OF_MEMORY -> throw new OutOfMemoryError("injected");
        case STACK_OVERFLOW -> throw new StackOverflowError("injected");
        case LINKAGE -> throw new NoClassDefFoundError("injected");
        case HANG -> hang();
      }
    }
  }

  private void hang() {
    try {
      never.await();
    } catch (InterruptedException e) {
      Fault.<RuntimeException>sneak(e); // as the port's own waiting would
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void sneak(Throwable failure) throws T {
    throw (T) failure;
  }

  public boolean hasStruck() {
    return struck.get();
  }

  public Kind kind() {
    return kind;
  }
}
