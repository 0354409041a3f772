package dev.cotenant.admission.reservation;

import dev.cotenant.admission.decision.LargestBatch.Fit;
import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.domain.decision.Decision;
import org.jspecify.annotations.Nullable;

/** The result of a request to reserve. */
public sealed interface ReservationOutcome {
  /** The reservation, now or from an earlier request with the same key. */
  record Reserved(Reservation reservation) implements ReservationOutcome {}

  /**
   * No capacity.
   *
   * @param decision {@code Held} or {@code Denied}, the most useful reasons first
   * @param reasonCount of all reasons
   * @param fits the largest batch that fits; null without one
   */
  record Refused(Decision decision, int reasonCount, @Nullable Fit fits)
      implements ReservationOutcome {
    static final int MAX_REASONS = 50;

    static Refused of(Decision decision, @Nullable Fit fits) {
      ReasonOrder.Shortened shortened = ReasonOrder.shortened(decision, MAX_REASONS);
      return new Refused(shortened.decision(), shortened.reasonCount(), fits);
    }
  }

  /** The key has another request. */
  record KeyReused() implements ReservationOutcome {}
}
