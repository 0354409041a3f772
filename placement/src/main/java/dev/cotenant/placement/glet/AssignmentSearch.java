package dev.cotenant.placement.glet;

import dev.cotenant.placement.glet.UndoableLayouts.GpuletIndex;
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
final class AssignmentSearch {
  /*
   * Depth first, the service that needs most of a GPU first. A service goes with all that is left of
   * its rate into a gpu-let, or with as much as goes in, and the rest into later ones. Cut are
   * gpu-lets that look like one tried before, situations that failed before, and those that a bound
   * rules out: a gpu-let of size p serves a part Σ rate/most(p) ≤ 1 of its time, so that for any
   * weights w of gpu-lets Σ_services rate·min_p(w/most(p)) ≤ Σ_gpu-lets w·(time left). Taken are the
   * sizes and what each service gets out of them as weights.
   */
  private static final double MIN_PART = 0.05;
  private static final double SERVED = 1e-9;
  private static final int BISECTIONS = 10;

  /** So many services are left, and so the GPUs are, whatever their order. */
  private record Situation(int next, Map<GpuLayout, Integer> layouts) {}

  private final GpuPool pool;
  private final Schedule schedule;
  private final List<Tenant> tenants;
  private final Set<Situation> failed = new HashSet<>();
  private List<GpuLayout> layouts = List.of();
  private List<GpuletIndex> places = List.of();

  AssignmentSearch(GpuPool pool, Schedule schedule, List<Tenant> tenants) {
    this.pool = pool;
    this.schedule = schedule;
    this.tenants =
        tenants.stream()
            .sorted(
                Comparator.comparingDouble(AssignmentSearch::need)
                    .reversed()
                    .thenComparing(Tenant::name))
            .toList();
  }

  private static double need(Tenant tenant) {
    return tenant.requestsPerSecond() / tenant.mostPerSecond(Size.WHOLE);
  }

  /** How much room free GPUs seem to have for all services; negative where they have not. */
  double slack(List<GpuLayout> free) {
    start(free);
    return tenants.isEmpty() ? 1 : slack(0, tenants.getFirst().requestsPerSecond());
  }

  /** Layouts of the used GPUs with all services placed; empty if no assignment exists. */
  Optional<List<GpuLayout>> of(List<GpuLayout> free) {
    start(free);
    return next(0)
        ? Optional.of(layouts.stream().filter(layout -> !layout.isFree()).toList())
        : Optional.empty();
  }

  private void start(List<GpuLayout> free) {
    layouts = new ArrayList<>(free);
    places = new ArrayList<>();
    failed.clear();
    for (int i = 0; i < free.size(); i++) {
      for (int k = 0; k < free.get(i).gpulets().size(); k++) {
        places.add(new GpuletIndex(i, k));
      }
    }
  }

  private boolean next(int index) {
    if (index == tenants.size()) {
      return true;
    }
    Map<GpuLayout, Integer> counts = new HashMap<>();
    layouts.forEach(layout -> counts.merge(layout, 1, Integer::sum));
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
      GpuletIndex place = places.get(p);
      GpuLayout before = layouts.get(place.gpu());
      if (tried.add(List.of(before, before.gpulets().get(place.gpulet())))
          && tryAt(index, rate, p, before)) {
        return true;
      }
      layouts.set(place.gpu(), before);
    }
    return false;
  }

  private boolean tryAt(int index, double rate, int p, GpuLayout before) {
    Tenant tenant = tenants.get(index);
    GpuletIndex place = places.get(p);
    GpuLayout all = with(place, before, tenant, rate);
    if (all != null) {
      layouts.set(place.gpu(), all);
      return next(index + 1);
    }
    double part = most(place, before, tenant, rate);
    GpuLayout some = part > 0 ? with(place, before, tenant, part) : null;
    if (some == null) {
      return false;
    }
    layouts.set(place.gpu(), some);
    return place(index, rate - part, p + 1);
  }

  private @Nullable GpuLayout with(
      GpuletIndex place, GpuLayout layout, Tenant tenant, double rate) {
    Gpulet gpulet = layout.gpulets().get(place.gpulet());
    double load = gpulet.load() + rate / tenant.mostPerSecond(gpulet.size());
    if (load > 1 + SERVED || gpulet.assignments(tenant)) {
      return null;
    }
    GpuLayout wanted = layout.with(place.gpulet(), new Assignment(tenant, 1, rate));
    return pool.holds(wanted) ? schedule.of(wanted).orElse(null) : null;
  }

  /** As much of the rate as goes in; 0 where hardly any does. */
  private double most(GpuletIndex place, GpuLayout layout, Tenant tenant, double rate) {
    Gpulet gpulet = layout.gpulets().get(place.gpulet());
    double high = Math.min(rate, (1 - gpulet.load()) * tenant.mostPerSecond(gpulet.size()));
    if (high < rate && with(place, layout, tenant, high) != null) {
      return high;
    }
    double low = tenant.requestsPerSecond() * MIN_PART;
    if (low >= high || with(place, layout, tenant, low) == null) {
      return 0;
    }
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = (low + high) / 2;
      if (with(place, layout, tenant, middle) == null) {
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
    for (GpuLayout layout : layouts) {
      for (Gpulet gpulet : layout.gpulets()) {
        left += weight(gpulet.size(), weights) * (1 - gpulet.load());
      }
    }
    double needed = rate * leastWeight(tenants.get(index), weights);
    for (Tenant tenant : tenants.subList(index + 1, tenants.size())) {
      needed += tenant.requestsPerSecond() * leastWeight(tenant, weights);
    }
    return left > 0 ? 1 - needed / left : -needed;
  }

  private static double weight(Size size, @Nullable Tenant weights) {
    return weights == null ? size.percent() : weights.mostPerSecond(size);
  }

  private double leastWeight(Tenant tenant, @Nullable Tenant weights) {
    double least = Double.POSITIVE_INFINITY;
    for (GpuletIndex place : places) {
      Size size = layouts.get(place.gpu()).gpulets().get(place.gpulet()).size();
      if (tenant.mostPerSecond(size) > 0) {
        least = Math.min(least, weight(size, weights) / tenant.mostPerSecond(size));
      }
    }
    return least;
  }
}
