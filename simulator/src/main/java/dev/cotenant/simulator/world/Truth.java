package dev.cotenant.simulator.world;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;

/**
 * What a job really does, phase by phase. Public to construct, readable in this package only: a
 * policy with a reference learns nothing from it.
 */
public final class Truth {
  private final List<Phase> phases;
  private final double[] ends;

  private Truth(List<Phase> phases) {
    if (phases.isEmpty()) {
      throw new IllegalArgumentException("a job has at least one phase");
    }
    this.phases = phases;
    ends = new double[phases.size()];
    double end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += phases.get(i).work().toNanos();
      ends[i] = end;
    }
  }

  /** A job of these phases, in order. */
  public static Truth of(List<Phase> phases) {
    return new Truth(List.copyOf(phases));
  }

  /** A job of one phase. */
  public static Truth of(Phase phase) {
    return new Truth(List.of(phase));
  }

  int phases() {
    return ends.length;
  }

  Phase phase(int index) {
    return phases.get(index);
  }

  /** Work before a phase in nanoseconds. */
  double startOf(int phase) {
    return phase == 0 ? 0 : ends[phase - 1];
  }

  /** Work up to the end of a phase in nanoseconds. */
  double endOf(int phase) {
    return ends[phase];
  }

  /** The whole work in nanoseconds. */
  double work() {
    return ends[ends.length - 1];
  }

  MemorySize peak() {
    return phases.stream().map(Phase::peak).reduce(MemorySize.ZERO, MemorySize::max);
  }

  @Override
  public String toString() {
    return "Truth";
  }
}
