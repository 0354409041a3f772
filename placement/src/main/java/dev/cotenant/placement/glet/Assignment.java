package dev.cotenant.placement.glet;

import dev.cotenant.placement.glet.Cards.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tries every assignment of services to given gpu-lets until all are served. */
final class Assignment {
  /*
   * Depth first, the service that needs most of a GPU first. A service goes with all that is left of
   * its rate into a gpu-let, or with as much as goes in, and the rest into later ones. Cut are
   * gpu-lets that look like one tried before, situations that failed before, and those that a bound
   * rules out: a gpu-let of size p serves a part Σ rate/most(p) ≤ 1 of its time, so that for any
   * weights w of gpu-lets Σ_services rate·min_p(w/most(p)) ≤ Σ_gpu-lets w·(time left). Taken are the
   * sizes and what each service gets out of them as weights.
   */
  private static final double LEAST_PART = 0.05;
  private static final double SERVED = 1e-9;
  private static final int BISECTIONS = 10;

  /** So many services are left, and so the GPUs are, whatever their order. */
  private record Situation(int next, Map<Card, Integer> cards) {}

  private final Stock stock;
  private final Schedule schedule;
  private final List<Tenant> tenants;
  private final Set<Situation> failed = new HashSet<>();
  private List<Card> cards = List.of();
  private List<Place> places = List.of();

  Assignment(Stock stock, Schedule schedule, List<Tenant> tenants) {
    this.stock = stock;
    this.schedule = schedule;
    this.tenants =
        tenants.stream()
            .sorted(
                Comparator.comparingDouble(Assignment::need).reversed().thenComparing(Tenant::name))
            .toList();
  }

  private static double need(Tenant tenant) {
    return tenant.requestsPerSecond() / tenant.mostPerSecond(Size.WHOLE);
  }

  /** How much room free GPUs seem to have for all services; negative where they have not. */
  double slack(List<Card> free) {
    start(free);
    return tenants.isEmpty() ? 1 : slack(0, tenants.getFirst().requestsPerSecond());
  }

  /** The GPUs with all services on them; empty where there is no way. */
  Optional<List<Card>> of(List<Card> free) {
    start(free);
    return next(0)
        ? Optional.of(cards.stream().filter(card -> !card.isFree()).toList())
        : Optional.empty();
  }

  private void start(List<Card> free) {
    cards = new ArrayList<>(free);
    places = new ArrayList<>();
    failed.clear();
    for (int i = 0; i < free.size(); i++) {
      for (int k = 0; k < free.get(i).lets().size(); k++) {
        places.add(new Place(i, k));
      }
    }
  }

  private boolean next(int index) {
    if (index == tenants.size()) {
      return true;
    }
    Map<Card, Integer> counts = new HashMap<>();
    cards.forEach(card -> counts.merge(card, 1, Integer::sum));
    Situation situation = new Situation(index, counts);
    if (failed.contains(situation)) {
      return false;
    }
    boolean found = place(index, tenants.get(index).requestsPerSecond(), 0);
    if (!found) {
      failed.add(situation);
    }
    return found;
  }

  private boolean place(int index, double rate, int from) {
    if (slack(index, rate) < -SERVED) {
      return false;
    }
    Set<List<Object>> tried = new HashSet<>();
    for (int p = from; p < places.size(); p++) {
      Place place = places.get(p);
      Card before = cards.get(place.card());
      if (tried.add(List.of(before, before.lets().get(place.let())))
          && tryAt(index, rate, p, before)) {
        return true;
      }
      cards.set(place.card(), before);
    }
    return false;
  }

  private boolean tryAt(int index, double rate, int p, Card before) {
    Tenant tenant = tenants.get(index);
    Place place = places.get(p);
    Card all = with(place, before, tenant, rate);
    if (all != null) {
      cards.set(place.card(), all);
      return next(index + 1);
    }
    double part = most(place, before, tenant, rate);
    Card some = part > 0 ? with(place, before, tenant, part) : null;
    if (some == null) {
      return false;
    }
    cards.set(place.card(), some);
    return place(index, rate - part, p + 1);
  }

  private @Nullable Card with(Place place, Card card, Tenant tenant, double rate) {
    Let let = card.lets().get(place.let());
    double load = let.load() + rate / tenant.mostPerSecond(let.size());
    if (load > 1 + SERVED || let.seats(tenant)) {
      return null;
    }
    Card wanted = card.with(place.let(), new Seat(tenant, 1, rate));
    return stock.holds(wanted) ? schedule.of(wanted).orElse(null) : null;
  }

  /** As much of the rate as goes in; 0 where hardly any does. */
  private double most(Place place, Card card, Tenant tenant, double rate) {
    Let let = card.lets().get(place.let());
    double high = Math.min(rate, (1 - let.load()) * tenant.mostPerSecond(let.size()));
    if (high < rate && with(place, card, tenant, high) != null) {
      return high;
    }
    double low = tenant.requestsPerSecond() * LEAST_PART;
    if (low >= high || with(place, card, tenant, low) == null) {
      return 0;
    }
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = (low + high) / 2;
      if (with(place, card, tenant, middle) == null) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return low;
  }

  /** The part of the time left that the bound leaves free at the least; negative where it fails. */
  private double slack(int index, double rate) {
    double slack = slack(index, rate, null);
    for (Tenant weights : tenants) {
      slack = Math.min(slack, slack(index, rate, weights));
    }
    return slack;
  }

  private double slack(int index, double rate, @Nullable Tenant weights) {
    double left = 0;
    for (Card card : cards) {
      for (Let let : card.lets()) {
        left += weight(let.size(), weights) * (1 - let.load());
      }
    }
    double needed = rate * leastWeight(tenants.get(index), weights);
    for (Tenant tenant : tenants.subList(index + 1, tenants.size())) {
      needed += tenant.requestsPerSecond() * leastWeight(tenant, weights);
    }
    return left > 0 ? 1 - needed / left : -needed;
  }

  private static double weight(Size size, @Nullable Tenant weights) {
    return weights == null ? size.permille() : weights.mostPerSecond(size);
  }

  private double leastWeight(Tenant tenant, @Nullable Tenant weights) {
    double least = Double.POSITIVE_INFINITY;
    for (Place place : places) {
      Size size = cards.get(place.card()).lets().get(place.let()).size();
      if (tenant.mostPerSecond(size) > 0) {
        least = Math.min(least, weight(size, weights) / tenant.mostPerSecond(size));
      }
    }
    return least;
  }
}
