package dev.cotenant.forecast.history;

/** What kind of past a device has, where its values alone mislead. */
public enum Situation {
  /** Memory was in use and is not in the last steps: the process may restart. */
  RESTARTED,
  /** Too little was seen of it, or only a beginning: its own past says nothing of its peak. */
  STARTED,
  /** Its past is long enough to learn from. */
  RUNNING;

  /** Steps after which a start is over. */
  private static final int WINDOW = 60;

  /** Judges by the newest steps. */
  public static Situation of(SteppedHistory history, double capacityBytes) {
    double idle = HistoryFeatures.IDLE_SHARE * capacityBytes;
    boolean wasIdle = history.stepsSinceBelow(idle) < SteppedHistory.STEPS;
    if (history.length() < SteppedHistory.STEPS || (wasIdle && history.length() < WINDOW)) {
      return STARTED;
    }
    return wasIdle && history.maximum(SteppedHistory.MAX_STEPS) >= idle ? RESTARTED : RUNNING;
  }
}
