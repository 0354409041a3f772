package dev.cotenant.domain.workload;

/** Whether a workload trains its model or serves it. */
public enum ExecutionMode {
  TRAINING,
  INFERENCE;

  /** Reads {@code training} or {@code inference}. */
  public static ExecutionMode parse(String text) {
    return Choice.parse("mode", ExecutionMode.class, text);
  }

  @Override
  public String toString() {
    return Choice.text(this);
  }
}
