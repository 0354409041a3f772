package dev.cotenant.admission.gate.state;

import java.time.Duration;
import java.time.Instant;

/** A pod's nominations that ended without a binding; pauses between nominations double. */
public final class NominationHistory {
  private static final int MAX_DOUBLINGS = 5;

  private int lapses;
  private Instant notBefore = Instant.MIN;
  private boolean reliesOnPreemption;
  private boolean preempted;

  NominationHistory() {}

  /**
   * A nomination has ended without a binding.
   *
   * @param first the first pause
   */
  public void lapsed(Instant now, Duration first) {
    notBefore = now.plus(first.multipliedBy(1L << Math.min(lapses, MAX_DOUBLINGS)));
    lapses++;
    preempted = false;
  }

  /** The end of the pause. */
  public Instant notBefore() {
    return notBefore;
  }

  /** Pods of lower priority gave way for the next nomination. */
  public void preempt() {
    preempted = true;
  }

  /** Whether pods of lower priority gave way for the nomination. */
  public boolean hasPreempted() {
    return preempted;
  }

  /** Whether the nomination relies on preemption by the scheduler for all but GPUs. */
  public boolean reliesOnPreemption() {
    return reliesOnPreemption;
  }

  /** Nothing but the scheduler's preemption makes the pod fit beside GPUs. */
  public void relyOnPreemption() {
    reliesOnPreemption = true;
  }

  /** The pod fits without a preemption. */
  public void relyOnNothing() {
    reliesOnPreemption = false;
  }
}
