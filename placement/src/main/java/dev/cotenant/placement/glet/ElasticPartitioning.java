package dev.cotenant.placement.glet;

import dev.cotenant.placement.glet.Cards.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** gpu-lets' algorithm 1 on GPUs of one kind. */
final class ElasticPartitioning implements Strategy {
  /*
   * As printed: services by rate, the largest first; p_eff the knee; p_req the least gpu-let that
   * serves what is left of the rate; the first free gpu-let of at least min(p_eff, p_req), ascending
   * by size, a whole GPU being split; a merge into the first gpu-let that is temporally sharable,
   * whereupon the split is reverted (here: a split is only proposed, and made when nothing was
   * merged); and so on until the rate is served.
   *
   * What is not printed. How much a gpu-let is given: all that is left of the rate where that holds,
   * else what its largest batch serves beside the worst neighbour that the fleet could put there, so
   * that the other half stays usable. Where no free gpu-let is large enough, the largest that is left,
   * then as much as can be merged anywhere: so do readjust and allocateTimeShare of the authors' code
   * (casys-kaist/glet). Where a service cannot be served in parts of its knee, it is tried again in
   * parts of p_req. A service that cannot be served in full is taken out again.
   *
   * O(services × gpu-lets) best fits and merges.
   */
  private static final double SERVED = 1e-9;

  /** No part of a service is smaller: it would only hold memory. */
  private static final double LEAST_PART = 0.05;

  private static final int BISECTIONS = 12;

  /** How a gpu-let's size is chosen. */
  enum Sizing {
    /** min(p_eff, p_req). */
    KNEE,
    /** p_req. */
    LEAST_SUFFICIENT
  }

  /** Whether services may take turns in a gpu-let. */
  enum Sharing {
    IN_SPACE,
    IN_SPACE_AND_TIME
  }

  /** What is done. */
  record Rules(Sizing sizing, Sharing sharing, Interference interference) {}

  /** Something that could be done: a GPU as it would be, and the rate that it serves. */
  private record Proposal(int index, Card card, double perSecond) {}

  private final Rules rules;
  private final Schedule schedule;

  ElasticPartitioning(Rules rules) {
    this.rules = rules;
    schedule = new Schedule(rules.interference());
  }

  @Override
  public Layout plan(Stock stock, List<Tenant> tenants) {
    Run run = new Run(stock, tenants);
    List<Tenant> left = new ArrayList<>();
    tenants.stream()
        .sorted(
            Comparator.comparingDouble(Tenant::requestsPerSecond)
                .reversed()
                .thenComparing(Tenant::name))
        .filter(tenant -> !run.serve(tenant))
        .forEach(left::add);
    return new Layout(run.cards.all().stream().map(schedule::fullest).toList(), left);
  }

  /** One plan in the making. */
  private final class Run {
    private final Stock stock;
    private final Cards cards;
    private final Prudence prudence;

    Run(Stock stock, List<Tenant> tenants) {
      this.stock = stock;
      cards = new Cards(stock.count());
      prudence = new Prudence(rules.interference(), tenants);
    }

    boolean serve(Tenant tenant) {
      return serve(tenant, rules.sizing())
          || (rules.sizing() == Sizing.KNEE && serve(tenant, Sizing.LEAST_SUFFICIENT));
    }

    private boolean serve(Tenant tenant, Sizing sizing) {
      int mark = cards.mark();
      Size knee = sizing == Sizing.KNEE ? Knee.of(tenant) : Size.WHOLE;
      double least = tenant.requestsPerSecond() * SERVED;
      double rate = tenant.requestsPerSecond();
      while (rate > least) {
        Size needed = leastSufficient(tenant, rate);
        Proposal chosen = choose(tenant, rate, needed.compareTo(knee) < 0 ? needed : knee);
        if (chosen == null) {
          cards.undoTo(mark);
          return false;
        }
        cards.put(chosen.index(), chosen.card());
        rate -= chosen.perSecond();
      }
      return true;
    }

    private @Nullable Proposal choose(Tenant tenant, double rate, Size ideal) {
      Proposal fit = bestFit(tenant, rate, ideal);
      if (rules.sharing() == Sharing.IN_SPACE) {
        return fit;
      }
      Proposal merged = merge(tenant, fit == null ? rate : fit.perSecond());
      if (merged != null) {
        return merged;
      }
      return fit == null ? mergePart(tenant, rate) : fit;
    }

    /** FINDBESTFIT up to its merge, then the largest gpu-let that is left. */
    private @Nullable Proposal bestFit(Tenant tenant, double rate, Size ideal) {
      List<Place> free = free();
      for (Place place : free) {
        Proposal found =
            sizeOf(place).compareTo(ideal) < 0 ? null : fill(place, tenant, rate, ideal);
        if (found != null) {
          return found;
        }
      }
      for (Place place : free.reversed()) {
        Proposal found =
            sizeOf(place).compareTo(ideal) < 0 ? fill(place, tenant, rate, ideal) : null;
        if (found != null) {
          return found;
        }
      }
      return null;
    }

    /** Free gpu-lets, ascending by size, then in the order in which GPUs were opened. */
    private List<Place> free() {
      List<Place> free = new ArrayList<>();
      int seen = cards.opened() + (cards.more() ? 1 : 0);
      for (int i = 0; i < seen; i++) {
        List<Let> lets = cards.get(i).lets();
        for (int k = 0; k < lets.size(); k++) {
          if (lets.get(k).isFree()) {
            free.add(new Place(i, k));
          }
        }
      }
      free.sort(Comparator.comparing(this::sizeOf));
      return free;
    }

    private Size sizeOf(Place place) {
      return cards.get(place.card()).lets().get(place.let()).size();
    }

    private @Nullable Proposal fill(Place place, Tenant tenant, double rate, Size ideal) {
      Card card = cards.get(place.card());
      Card cut = sizeOf(place) == Size.WHOLE ? Card.split(ideal) : card;
      Size size = cut.lets().get(place.let()).size();
      Proposal all = seat(new Place(place.card(), place.let()), cut, tenant, rate);
      if (all != null) {
        return all;
      }
      double most = Math.min(rate, prudence.mostPerSecond(tenant, size));
      return most >= rate * LEAST_PART && most < rate ? seat(place, cut, tenant, most) : null;
    }

    private @Nullable Proposal seat(Place place, Card card, Tenant tenant, double rate) {
      Card wanted = card.with(place.let(), new Seat(tenant, 1, rate));
      if (!stock.holds(wanted)) {
        return null;
      }
      Optional<Card> planned = schedule.of(wanted);
      return planned.map(found -> new Proposal(place.card(), found, rate)).orElse(null);
    }

    /** Into the first gpu-let in use that can take turns with one more. */
    private @Nullable Proposal merge(Tenant tenant, double rate) {
      for (int i = 0; i < cards.opened(); i++) {
        Card card = cards.get(i);
        for (int k = 0; k < card.lets().size(); k++) {
          Proposal merged =
              sharable(card.lets().get(k), tenant, rate, 1)
                  ? seat(new Place(i, k), card, tenant, rate)
                  : null;
          if (merged != null) {
            return merged;
          }
        }
      }
      return null;
    }

    /** The most that any gpu-let in use can take of the rate besides its own turns. */
    private @Nullable Proposal mergePart(Tenant tenant, double rate) {
      Proposal best = null;
      for (int i = 0; i < cards.opened(); i++) {
        Card card = cards.get(i);
        for (int k = 0; k < card.lets().size(); k++) {
          if (sharable(card.lets().get(k), tenant, rate, LEAST_PART)) {
            Proposal part = part(new Place(i, k), card, tenant, rate);
            best =
                part != null && (best == null || part.perSecond() > best.perSecond()) ? part : best;
          }
        }
      }
      return best;
    }

    private @Nullable Proposal part(Place place, Card card, Tenant tenant, double rate) {
      double low = Math.max(rate, tenant.requestsPerSecond()) * LEAST_PART;
      Proposal best = low < rate ? seat(place, card, tenant, low) : null;
      double high = rate;
      for (int i = 0; best != null && i < BISECTIONS; i++) {
        Proposal more = seat(place, card, tenant, (low + high) / 2);
        if (more == null) {
          high = (low + high) / 2;
        } else {
          low = (low + high) / 2;
          best = more;
        }
      }
      return best;
    }
  }

  /** In use, without the tenant, and with time left for this part of the rate. */
  private static boolean sharable(Let let, Tenant tenant, double rate, double part) {
    return !let.isFree()
        && !let.seats(tenant)
        && let.load() + part * rate / tenant.mostPerSecond(let.size()) <= 1;
  }

  /** p_req; a whole GPU where none suffices. */
  private static Size leastSufficient(Tenant tenant, double rate) {
    for (Size size : Size.ASCENDING) {
      if (tenant.mostPerSecond(size) >= rate) {
        return size;
      }
    }
    return Size.WHOLE;
  }
}
