package dev.cotenant.domain.workload;

/** Whether training saves all activations for the backward pass, or computes them again. */
public enum Checkpointing {
  /** All saved activations stay in memory. */
  NONE,
  /** Only the inputs of segments stay in memory; the backward pass runs each segment again. */
  SEGMENTS;

  /** Reads {@code none} or {@code segments}. */
  public static Checkpointing parse(String text) {
    return Choice.parse("checkpointing", Checkpointing.class, text);
  }

  @Override
  public String toString() {
    return Choice.text(this);
  }
}
