package dev.cotenant.placement.glet;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the batches with which a GPU's turns keep up with their rates within their objectives. */
final class Schedule {
  /*
   * A gpu-let repeats a cycle D with one batch of each of its turns: D = Σ f·busy(b), where f is the
   * largest factor of any turn beside it. Turn i keeps up when b_i ≥ rate_i·D, and a request that has
   * just missed its batch waits one cycle: D + f·L(b_i) ≤ SLO_i; alone, 2·f·L(b) ≤ SLO [Nexus,
   * section 4.1]. Starting from batches of one, every batch is raised to ⌈rate·D⌉ until none
   * changes: times and factors grow with the batch, so that this ends at the least batches that keep
   * up, which are also those of the least latency, or beyond an objective, and then none would do.
   * Where a profile or a measurement falls with the batch it may miss a solution, but what it returns
   * has been checked. At most 32 rounds a turn.
   */
  private static final double MILLIS_PER_SECOND = 1000;
  private static final double ROUNDING = 1e-10;

  private final Interference interference;

  Schedule(Interference interference) {
    this.interference = interference;
  }

  /** The card with its batches chosen anew; empty where no batches will do. */
  Optional<Card> of(Card wanted) {
    Card card = withLeastBatches(wanted);
    while (true) {
      Card next = raised(card);
      if (next == null) {
        return Optional.empty();
      }
      if (next.equals(card)) {
        return Optional.of(card);
      }
      card = next;
    }
  }

  /** Whether all objectives and rates hold with the batches as they are. */
  boolean holds(Card card) {
    Card needed = raised(card);
    return needed != null && needed.equals(card);
  }

  /**
   * The same with the largest batch that holds in each gpu-let of one turn, the first gpu-let first
   * [gpu-lets, algorithm 1, line 27].
   */
  Card fullest(Card card) {
    Card full = card;
    for (int i = 0; i < card.lets().size(); i++) {
      if (full.lets().get(i).seats().size() == 1) {
        full = fullest(full, i);
      }
    }
    return full;
  }

  private Card fullest(Card card, int index) {
    Let let = card.lets().get(index);
    Seat seat = let.seats().getFirst();
    for (int batch = seat.tenant().largestBatch(let.size()); batch > seat.batch(); batch--) {
      Seat larger = new Seat(seat.tenant(), batch, seat.perSecond());
      Card candidate = card.with(index, new Let(let.size(), List.of(larger)));
      if (holds(candidate)) {
        return candidate;
      }
    }
    return card;
  }

  private static Card withLeastBatches(Card card) {
    List<Let> lets = new ArrayList<>();
    for (Let let : card.lets()) {
      List<Seat> seats = new ArrayList<>();
      for (Seat seat : let.seats()) {
        seats.add(new Seat(seat.tenant(), 1, seat.perSecond()));
      }
      lets.add(new Let(let.size(), seats));
    }
    return new Card(lets);
  }

  /** One round; null where an objective is missed or a batch grows too large. */
  private @Nullable Card raised(Card card) {
    Card next = card;
    for (int i = 0; i < card.lets().size(); i++) {
      Let let = raised(card.lets().get(i), card.beside(i));
      if (let == null) {
        return null;
      }
      next = next.with(i, let);
    }
    return next;
  }

  private @Nullable Let raised(Let let, @Nullable Let beside) {
    double cycle = cycleMillis(let, beside);
    double kept = beside == null ? 1 : interference.keptPart();
    List<Seat> seats = new ArrayList<>();
    for (Seat seat : let.seats()) {
      double latency =
          factor(seat, let, beside) * seat.tenant().latencyMillis(seat.batch(), let.size());
      double wait = let.seats().size() == 1 ? latency : cycle;
      double due = kept * seat.perSecond() * cycle / MILLIS_PER_SECOND * (1 - ROUNDING);
      boolean late = !(wait + latency <= seat.tenant().sloMillis() * (1 + ROUNDING));
      if (late || due > Tenant.MAX_BATCH) {
        return null;
      }
      int batch = Math.max(seat.batch(), (int) Math.ceil(due));
      seats.add(new Seat(seat.tenant(), batch, seat.perSecond()));
    }
    return new Let(let.size(), seats);
  }

  /** How long one batch of each turn takes. */
  double cycleMillis(Let let, @Nullable Let beside) {
    double cycle = 0;
    for (Seat seat : let.seats()) {
      cycle += factor(seat, let, beside) * seat.tenant().busyMillis(seat.batch(), let.size());
    }
    return cycle;
  }

  private double factor(Seat seat, Let let, @Nullable Let beside) {
    double worst = 1;
    if (beside != null) {
      for (Seat other : beside.seats()) {
        worst = Math.max(worst, interference.factor(seat, let.size(), other, beside.size()));
      }
    }
    return worst;
  }
}
