package dev.cotenant.features.execution;

import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.BatchScale;
import java.util.ArrayList;
import java.util.List;

/**
 * Maximum of many amounts as a function of the batch, which may decide which amount is largest. Not
 * thread safe.
 *
 * <p>Keeps the amounts that no other covers. Beyond {@value #MAX_CANDIDATES} of them, which no
 * model that we know of has, two are replaced by their upper bound.
 */
public final class PeakBytes {
  private static final int MAX_CANDIDATES = 32;

  private final List<Amount> candidates = new ArrayList<>();

  /** Raises the peak to an amount; unknown ones are ignored. */
  public void raise(Amount amount) {
    if (!amount.isKnown()) {
      return;
    }
    for (Amount candidate : candidates) {
      if (candidate.covers(amount)) {
        return;
      }
    }
    candidates.removeIf(amount::covers);
    if (candidates.size() == MAX_CANDIDATES) {
      raise(candidates.removeLast().atLeast(amount));
    } else {
      candidates.add(amount);
    }
  }

  /** Raises the peak to every amount of another on top of {@code base}. */
  public void raise(Amount base, PeakBytes other) {
    if (other.candidates.isEmpty()) {
      raise(base);
    }
    for (Amount candidate : other.candidates) {
      raise(base.plus(candidate));
    }
  }

  /** The peak at a batch; 0 when it was never raised. */
  public long at(BatchScale scale) {
    long largest = 0;
    for (Amount candidate : candidates) {
      largest = Math.max(largest, candidate.at(scale));
    }
    return largest;
  }

  /** The peak at the declared batch. */
  public long atDeclared() {
    long largest = 0;
    for (Amount candidate : candidates) {
      largest = Math.max(largest, candidate.atDeclared());
    }
    return largest;
  }
}
