package dev.cotenant.domain.decision;

/**
 * How much risk workloads take that memory or time exceeds what their decisions rest on.
 *
 * <p>A bound at a level is exceeded with probability 1 less that level, so that a budget requires
 * bounds at its level or a higher one.
 *
 * @param memory largest probability that the workloads of a GPU need more memory than it has while
 *     they stay, 0 to 1; 1 for no budget, 0 for bounds that nothing can pass
 * @param objective largest probability that a service misses its latency objective, 0 to 1; 1 for
 *     no budget
 */
public record BoundRisk(double memory, double objective) {
  /** No budget: bounds hold at the level of all predictions. */
  public static final BoundRisk NONE = new BoundRisk(1, 1);

  public BoundRisk {
    requireRisk("risk of memory", memory);
    requireRisk("risk of the objective", objective);
  }

  private static void requireRisk(String what, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(what + " must be in [0, 1], is " + value);
    }
  }

  /** Whether there is a budget of memory. */
  public boolean bindsMemory() {
    return memory < 1;
  }

  /** Whether there is a budget of objectives. */
  public boolean bindsObjective() {
    return objective < 1;
  }
}
