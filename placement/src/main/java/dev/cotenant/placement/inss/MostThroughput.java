package dev.cotenant.placement.inss;

import dev.cotenant.domain.InputException;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.GpuEvaluation.TurnPrediction;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.fleet.Unplaced;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Our own planner for given GPUs: the most throughput that serves every rate in time [InSS, problem
 * 1], with batches by BDA. From {@link FilledGpus}, the best neighbour of a filling as long as one
 * is better.
 *
 * @apiNote default with `--gpus K`: the most throughput that the given GPUs serve with every rate
 *     in time: from shares in proportion to loads, the best of changed shares, moves and exchanges;
 *     batches by BDA | InSS, problem 1 | no | at most 256 GPUs and 256 services; a local search
 */
public final class MostThroughput implements ServicePlanner {
  /** Its name. */
  public static final String NAME = "most-throughput";

  private static final int MAX_GPUS = 256;
  private static final int MAX_SERVICES = 256;

  /** Services whose batch is looked for, over all fillings, before the search stops. */
  private static final int MAX_SEARCHES = 400_000;

  private final InssPlanner bda = new InssPlanner();

  /** A filling, its plan and its throughput. */
  private record Tried(Filling filling, FleetPlan plan, double perSecond) {
    /** Fewer services without a place, then more throughput. */
    boolean isBetterThan(Tried other) {
      int missing = plan.unplaced().size() - other.plan.unplaced().size();
      return missing == 0 ? perSecond > other.perSecond : missing < 0;
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  /**
   * The plan, with a note on its throughput. Services that no GPU serves alone are left out, and
   * where not all others can be served, one after the other of those without a place; when the
   * search has stopped at its limit, half of them at once, since all may leave a GPU empty.
   *
   * @throws InputException ({@code gpus-not-given}, {@code too-many-services}) where the fleet does
   *     not say how many GPUs there are, or has more than 256 services
   */
  @Override
  public FleetPlan plan(Fleet fleet) {
    requireGiven(fleet);
    requireFew(fleet);
    Map<String, Unplaced> left = new TreeMap<>();
    for (Service service : fleet.services()) {
      bda.plan(Filling.byLoad(fleet.serving(List.of(service))).placed())
          .unplaced()
          .forEach(alone -> left.put(alone.name(), alone));
    }
    Search search = new Search(new GpuEvaluation(fleet), searches(fleet));
    Tried best = search.of(others(fleet, left));
    while (!best.plan().unplaced().isEmpty()) {
      List<Unplaced> without = best.plan().unplaced();
      without
          .subList(0, search.left > 0 ? 1 : Math.ceilDiv(without.size(), 2))
          .forEach(one -> left.put(one.name(), one));
      best = search.of(others(fleet, left));
    }
    return noted(best, List.copyOf(left.values()), search.left <= 0);
  }

  private static Fleet others(Fleet fleet, Map<String, Unplaced> left) {
    return fleet.serving(
        fleet.services().stream().filter(one -> !left.containsKey(one.name())).toList());
  }

  private static int searches(Fleet fleet) {
    return MAX_SEARCHES / Math.max(1, fleet.services().size());
  }

  /** Local search over fillings with a limited number of trials. */
  private final class Search {
    private final GpuEvaluation evaluation;
    private int left;

    Search(GpuEvaluation evaluation, int most) {
      this.evaluation = evaluation;
      left = most;
    }

    Tried of(Fleet fleet) {
      Tried best = tried(Filling.byLoad(fleet), evaluation);
      boolean isBetter = true;
      while (isBetter && left > 0) {
        isBetter = false;
        Iterator<Filling> neighbours = best.filling().neighbours();
        while (left > 0 && neighbours.hasNext()) {
          left--;
          Tried tried = tried(neighbours.next(), evaluation);
          if (tried.isBetterThan(best)) {
            best = tried;
            isBetter = true;
          }
        }
      }
      return best;
    }
  }

  private static void requireGiven(Fleet fleet) {
    long gpus = fleet.devices().stream().mapToLong(DeviceType::maxCount).sum();
    if (gpus > MAX_GPUS) {
      throw InputException.invalidArgument(
          "gpus-not-given",
          NAME
              + " plans for given GPUs, at most "
              + MAX_GPUS
              + ": state their number with --gpus, or max_count of each device.");
    }
  }

  private static void requireFew(Fleet fleet) {
    if (fleet.services().size() > MAX_SERVICES) {
      throw InputException.tooLarge(
          "too-many-services",
          NAME
              + " plans at most "
              + MAX_SERVICES
              + " services at a time, the fleet has "
              + fleet.services().size()
              + ": plan parts of it, or take the strategy inss-bda.");
    }
  }

  private static FleetPlan noted(Tried best, List<Unplaced> left, boolean isCut) {
    FleetPlan plan = best.plan();
    List<String> notes = new ArrayList<>(plan.notes());
    notes.add(
        String.format(
            Locale.ROOT, "planned batches serve %.1f requests a second at most", best.perSecond()));
    if (isCut) {
      notes.add("the search stopped at its limit");
    }
    return new FleetPlan(NAME, plan.gpus(), left, plan.lowerBoundGpus(), notes);
  }

  private Tried tried(Filling filling, GpuEvaluation evaluation) {
    FleetPlan plan = bda.plan(filling.placed());
    return new Tried(filling, plan, perSecond(plan, evaluation));
  }

  /** Σ of what planned batches serve at most [InSS, section 4.1]. */
  public static double perSecond(FleetPlan plan, GpuEvaluation evaluation) {
    return plan.gpus().stream()
        .flatMap(gpu -> evaluation.of(gpu).stream())
        .flatMap(List::stream)
        .mapToDouble(TurnPrediction::throughputPerSecond)
        .sum();
  }
}
