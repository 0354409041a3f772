package dev.cotenant.admission.history;

import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Searches one order of calls that explains all answers [Wing and Gong, Testing and Verifying
 * Concurrent Objects, 1993; states remembered as by Lowe, 2017]: each call has its effect at one
 * moment between its begin and its answer, and every answer is right at that moment.
 */
public final class Linearizability {
  private final List<History.Entry> entries;
  private final Set<Seen> seen = new HashSet<>();

  /** What was made already, and where that leads. */
  private record Seen(BitSet made, Capacity state) {}

  private Linearizability(List<History.Entry> entries) {
    this.entries = entries;
  }

  /** Whether there is such an order, from free GPUs on. */
  public static boolean explains(List<History.Entry> entries, List<String> gpus) {
    return new Linearizability(entries).search(new BitSet(), Capacity.of(gpus));
  }

  private boolean search(BitSet made, Capacity state) {
    if (isDone(made)) {
      return true;
    }
    if (!seen.add(new Seen((BitSet) made.clone(), state))) {
      return false;
    }
    for (int next = made.nextClearBit(0);
        next < entries.size();
        next = made.nextClearBit(next + 1)) {
      if (!mayBeNext(next, made)) {
        continue;
      }
      made.set(next);
      for (Capacity after : state.after(entries.get(next).call())) {
        if (search(made, after)) {
          return true;
        }
      }
      made.clear(next);
    }
    return false;
  }

  /** What nobody was answered need not happen. */
  private boolean isDone(BitSet made) {
    for (int i = made.nextClearBit(0); i < entries.size(); i = made.nextClearBit(i + 1)) {
      if (entries.get(i).call().isAnswered()) {
        return false;
      }
    }
    return true;
  }

  private boolean mayBeNext(int next, BitSet made) {
    for (int i = made.nextClearBit(0); i < entries.size(); i = made.nextClearBit(i + 1)) {
      if (i != next && entries.get(i).isBefore(entries.get(next))) {
        return false;
      }
    }
    return true;
  }
}
