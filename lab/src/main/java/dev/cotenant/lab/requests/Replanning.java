package dev.cotenant.lab.requests;

import dev.cotenant.placement.fleet.FleetPlan;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Plans again in each period for rates that are made of the observed ones; where the planner has no
 * plan for these, it plans for the observed ones; where it has none for these either, the current
 * plan stays.
 */
public final class Replanning implements ServingPolicy {
  private final Planner planner;
  private final Targets targets;

  public Replanning(Planner planner, Targets targets) {
    this.planner = planner;
    this.targets = targets;
  }

  /** Makes plans. */
  @FunctionalInterface
  public interface Planner {
    /** A plan for these rates; empty where there is none. */
    Optional<FleetPlan> plan(Map<String, Double> requestsPerSecond);
  }

  /** Makes the rates to plan for; a new one serves each run, since it may know earlier periods. */
  @FunctionalInterface
  public interface Targets {
    /** The rates to plan for by service; called once in a period. */
    SortedMap<String, Double> of(SortedMap<String, Double> observed);
  }

  /**
   * By how much planned rates exceed the observed ones.
   *
   * @param headroom a part of the rate, at least 0
   * @param ahead how many periods a rise is expected to go on, at least 0; falls are not expected
   */
  public record Margin(double headroom, double ahead) {
    /** Rates are planned as they are observed. */
    public static final Margin NONE = new Margin(0, 0);

    public Margin {
      if (!(headroom >= 0 && ahead >= 0)) {
        throw new IllegalArgumentException("a margin must be at least 0");
      }
    }

    /** Targets of one run. */
    public Targets targets() {
      SortedMap<String, Double> before = new TreeMap<>();
      return observed -> {
        SortedMap<String, Double> rates = new TreeMap<>();
        observed.forEach((service, rate) -> {
          double rise = Math.max(0, rate - before.getOrDefault(service, rate));
          rates.put(service, (rate + ahead * rise) * (1 + headroom));
        });
        before.putAll(observed);
        return rates;
      };
    }
  }

  @Override
  public FleetPlan plan(Observation seen) {
    SortedMap<String, Double> observed = seen.rates();
    return planner
        .plan(targets.of(observed))
        .or(() -> planner.plan(observed))
        .orElse(seen.current());
  }
}
