package dev.cotenant.admission.reservation;

import dev.cotenant.admission.decision.LargestBatch.Fit;
import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.domain.decision.Decision;
import org.jspecify.annotations.Nullable;

/** What became of a request to reserve. */
public sealed interface ReservationOutcome {
  /** It has capacity, now or since the same was asked before. */
  record Reserved(Reservation reservation) implements ReservationOutcome {}

  /**
   * It has none.
   *
   * @param decision {@code Held} or {@code Denied}, with the most useful reasons first
   * @param reasonCount how many reasons there were
   * @param fits the largest batch that would have been reserved; null where none
   */
  record Refused(Decision decision, int reasonCount, @Nullable Fit fits)
      implements ReservationOutcome {
    /** How many reasons are remembered. */
    static final int MAX_REASONS = 50;

    static Refused of(Decision decision, @Nullable Fit fits) {
      ReasonOrder.Shortened shortened = ReasonOrder.shortened(decision, MAX_REASONS);
      return new Refused(shortened.decision(), shortened.reasonCount(), fits);
    }
  }

  /** The key was used for something else. */
  record KeyReused() implements ReservationOutcome {}
}
