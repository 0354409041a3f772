package dev.cotenant.placement.glet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Nexus' algorithm on GPUs of one kind. */
final class DutyCycles implements Strategy {
  /*
   * ScheduleSaturate: B = the largest batch with 2·L(B) ≤ SLO, its rate T; ⌊rate/T⌋ whole GPUs.
   * ScheduleResidue: what is left, r, gets the largest batch with L(b) + b/r ≤ SLO, its duty cycle
   * d = b/r, its occupancy busy(b)/d. Where no batch fills in time or keeps up then, the one of least
   * occupancy in the cycle SLO − L(b) that its objective leaves. By occupancy, the largest first, each goes to the GPU that is
   * fullest afterwards: the merged cycle is the shorter one, batches become ⌈d·r⌉, and it holds when
   * Σ busy ≤ d and d + L ≤ SLO for each [Nexus, algorithm 1]. O(residues × GPUs).
   */
  private static final double MILLIS_PER_SECOND = 1000;
  private static final double ROUNDING = 1e-10;

  /** One GPU that repeats a cycle. */
  private record Node(double cycleMillis, Card card, double occupancy) {}

  /** Every GPU, or who was the first to find none. */
  private record Attempt(List<Card> cards, @Nullable Tenant refused) {}

  @Override
  public Layout plan(Stock stock, List<Tenant> tenants) {
    List<Tenant> in = new ArrayList<>(tenants);
    List<Tenant> out = new ArrayList<>();
    Attempt attempt = attempt(stock, in);
    for (Tenant refused = attempt.refused(); refused != null; refused = attempt.refused()) {
      in.remove(refused);
      out.add(refused);
      attempt = attempt(stock, in);
    }
    for (Tenant tenant : List.copyOf(out)) {
      in.add(tenant);
      Attempt again = attempt(stock, in);
      if (again.refused() == null) {
        attempt = again;
        out.remove(tenant);
      } else {
        in.remove(tenant);
      }
    }
    return new Layout(attempt.cards(), out);
  }

  private static Attempt attempt(Stock stock, List<Tenant> tenants) {
    List<Card> cards = new ArrayList<>();
    List<Node> residues = new ArrayList<>();
    List<Tenant> sorted =
        tenants.stream()
            .sorted(
                Comparator.comparingDouble(Tenant::requestsPerSecond)
                    .reversed()
                    .thenComparing(Tenant::name))
            .toList();
    for (Tenant tenant : sorted) {
      double rate = saturate(stock, tenant, cards);
      if (rate > tenant.requestsPerSecond() * ROUNDING) {
        residues.add(residue(tenant, rate));
      }
      if (cards.size() > stock.count()) {
        return new Attempt(List.of(), tenant);
      }
    }
    residues.sort(Comparator.comparingDouble(Node::occupancy).reversed());
    return merged(stock, residues, cards);
  }

  /** Fills whole GPUs, one more than there are at the most; answers what is left of the rate. */
  private static double saturate(Stock stock, Tenant tenant, List<Card> cards) {
    double most = tenant.mostPerSecond(Size.WHOLE);
    double rate = tenant.requestsPerSecond();
    int batch = fastest(tenant);
    while (rate >= most && cards.size() <= stock.count()) {
      cards.add(Card.WHOLE.with(0, new Seat(tenant, batch, most)));
      rate -= most;
    }
    return rate;
  }

  private static int fastest(Tenant tenant) {
    int batch = tenant.largestBatch(Size.WHOLE);
    double most = tenant.mostPerSecond(Size.WHOLE) * (1 - ROUNDING);
    while (MILLIS_PER_SECOND * batch / tenant.busyMillis(batch, Size.WHOLE) < most) {
      batch--;
    }
    return batch;
  }

  private static Node residue(Tenant tenant, double rate) {
    Node best = null;
    for (int batch = tenant.largestBatch(Size.WHOLE); batch > 0; batch--) {
      double fill = MILLIS_PER_SECOND * batch / rate;
      double left = tenant.sloMillis() - tenant.latencyMillis(batch, Size.WHOLE);
      double cycle = Math.min(fill, left);
      double occupancy = tenant.busyMillis(batch, Size.WHOLE) / cycle;
      Node node = new Node(cycle, Card.WHOLE.with(0, new Seat(tenant, batch, rate)), occupancy);
      if (fill <= left && occupancy <= 1) {
        return node;
      }
      best = best == null || occupancy < best.occupancy() ? node : best;
    }
    if (best == null) {
      throw new IllegalStateException(tenant.name() + " fits on no GPU");
    }
    return best;
  }

  private static Attempt merged(Stock stock, List<Node> residues, List<Card> full) {
    List<Node> nodes = new ArrayList<>();
    for (Node residue : residues) {
      int fullest = -1;
      Node best = null;
      for (int i = 0; i < nodes.size(); i++) {
        Node both = both(stock, nodes.get(i), residue);
        if (both != null && (best == null || both.occupancy() > best.occupancy())) {
          best = both;
          fullest = i;
        }
      }
      if (best != null) {
        nodes.set(fullest, best);
      } else if (full.size() + nodes.size() < stock.count()) {
        nodes.add(residue);
      } else {
        return new Attempt(List.of(), seats(residue).getFirst().tenant());
      }
    }
    List<Card> all = new ArrayList<>(full);
    nodes.forEach(node -> all.add(node.card()));
    return new Attempt(all, null);
  }

  private static List<Seat> seats(Node node) {
    return node.card().lets().getFirst().seats();
  }

  /** Both in the shorter cycle; null where that does not hold. */
  private static @Nullable Node both(Stock stock, Node first, Node second) {
    double cycle = Math.min(first.cycleMillis(), second.cycleMillis());
    List<Seat> seats = new ArrayList<>(seats(first));
    seats.addAll(seats(second));
    Card card = Card.WHOLE;
    double busy = 0;
    for (Seat seat : seats) {
      Tenant tenant = seat.tenant();
      int batch = (int) Math.ceil(cycle * seat.perSecond() / MILLIS_PER_SECOND * (1 - ROUNDING));
      batch = Math.max(1, batch);
      if (cycle + tenant.latencyMillis(batch, Size.WHOLE) > tenant.sloMillis() * (1 + ROUNDING)) {
        return null;
      }
      busy += tenant.busyMillis(batch, Size.WHOLE);
      card = card.with(0, new Seat(tenant, batch, seat.perSecond()));
    }
    return busy <= cycle && stock.holds(card) ? new Node(cycle, card, busy / cycle) : null;
  }
}
