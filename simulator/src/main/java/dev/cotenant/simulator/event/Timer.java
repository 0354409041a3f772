package dev.cotenant.simulator.event;

/** An action that a {@link Timeline} runs at one instant; it can be moved or cancelled. */
public final class Timer {
  private static final int IDLE = -1;

  private final Runnable action;
  private long at;
  private long sequence;
  private int position = IDLE;

  public Timer(Runnable action) {
    this.action = action;
  }

  /** Whether it will run. */
  public boolean isPending() {
    return position != IDLE;
  }

  /** The instant in nanoseconds at which it runs or ran last. */
  public long at() {
    return at;
  }

  void run() {
    action.run();
  }

  void set(long instant, long order) {
    at = instant;
    sequence = order;
  }

  boolean isBefore(Timer other) {
    return at < other.at || (at == other.at && sequence < other.sequence);
  }

  int position() {
    return position;
  }

  void moveTo(int slot) {
    position = slot;
  }

  void clear() {
    position = IDLE;
  }
}
