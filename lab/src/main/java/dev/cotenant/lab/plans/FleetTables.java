package dev.cotenant.lab.plans;

import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.fleet.Verification;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/** How many GPUs strategies need for sets of services, and what that costs in late requests. */
public final class FleetTables {
  private final LongSupplier nanos;

  /**
   * Tables whose times are taken with a clock.
   *
   * @param nanos the clock
   */
  public FleetTables(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * One strategy on one set, requests at equal intervals.
   *
   * @param set its place in the list, from 0
   * @param services in it
   * @param strategy its name
   * @param gpus used
   * @param lowerBoundGpus where the strategy proves one
   * @param faults that {@link PlacementVerifier} finds; none is right
   * @param violations that the model predicts
   * @param unplaced services without a place
   * @param elapsed of planning
   */
  public record Row(
      int set,
      int services,
      String strategy,
      int gpus,
      OptionalInt lowerBoundGpus,
      int faults,
      int violations,
      int unplaced,
      Duration elapsed) {}

  /**
   * One strategy on one set, requests that come as they like.
   *
   * @param set its place in the list, from 0
   * @param services in it
   * @param strategy its name
   * @param gpus used
   * @param met services of which 99 of 100 requests met their objective in the simulation
   * @param rateFactor planned rates as a multiple of the true ones
   * @param sloFactor planned objectives as a multiple of the true ones
   */
  public record QueueRow(
      int set,
      int services,
      String strategy,
      int gpus,
      int met,
      double rateFactor,
      double sloFactor) {}

  /**
   * All sets together.
   *
   * @param strategy its name
   * @param gpus used
   * @param lowerBoundGpus Σ of bounds, of 0 where there is none
   * @param violations or services that miss their objective
   * @param services in all sets
   */
  public record Total(
      String strategy, int gpus, int lowerBoundGpus, int violations, int services) {}

  /** Every strategy on every set at equal intervals, set by set. */
  public List<Row> constant(List<Fleet> sets, List<ServicePlanner> strategies) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < sets.size(); i++) {
      Fleet fleet = sets.get(i).with(Arrivals.CONSTANT);
      for (ServicePlanner strategy : strategies) {
        long start = nanos.getAsLong();
        FleetPlan plan = strategy.plan(fleet);
        Duration elapsed = Duration.ofNanos(nanos.getAsLong() - start);
        Verification verification = new PlacementVerifier(fleet).ofServices(plan);
        rows.add(
            new Row(
                i,
                fleet.services().size(),
                strategy.name(),
                plan.gpus().size(),
                plan.lowerBoundGpus(),
                verification.faults().size(),
                verification.violations(),
                verification.unplaced(),
                elapsed));
      }
    }
    return rows;
  }

  /**
   * Every strategy on every set under Poisson arrivals, set by set.
   *
   * @param aware strategies that plan for queues
   * @param unaware strategies that do not; each counts with the least margin that passes, and as it
   *     is
   * @param seed of the arrivals that plans are tried with
   */
  public List<QueueRow> poisson(
      List<Fleet> sets, List<ServicePlanner> aware, List<ServicePlanner> unaware, long seed) {
    List<QueueRow> rows = new ArrayList<>();
    for (int i = 0; i < sets.size(); i++) {
      Fleet fleet = sets.get(i).with(Arrivals.POISSON);
      Margins margins = new Margins(fleet, seed);
      for (ServicePlanner strategy : aware) {
        rows.add(row(i, fleet, strategy.name(), margins.none(strategy.plan(fleet))));
      }
      for (ServicePlanner strategy : unaware) {
        FleetPlan plain = strategy.plan(fleet.with(Arrivals.CONSTANT));
        rows.add(row(i, fleet, strategy.name(), margins.none(plain)));
        rows.add(row(i, fleet, strategy.name() + "+margin", margins.least(strategy)));
      }
    }
    return rows;
  }

  private static QueueRow row(int set, Fleet fleet, String name, Margins.Margin margin) {
    return new QueueRow(
        set,
        fleet.services().size(),
        name,
        margin.plan().gpus().size(),
        margin.met(),
        margin.rateFactor(),
        margin.sloFactor());
  }

  /** Sums over sets, in the order in which strategies come first. */
  public static List<Total> totals(List<Row> rows) {
    Map<String, Total> totals = new LinkedHashMap<>();
    for (Row row : rows) {
      int bound = row.lowerBoundGpus().orElse(0);
      add(totals, new Total(row.strategy(), row.gpus(), bound, row.violations(), row.services()));
    }
    return List.copyOf(totals.values());
  }

  /**
   * Sums over sets, in the order in which strategies come first; a service that misses its
   * objective is a violation.
   */
  public static List<Total> queueTotals(List<QueueRow> rows) {
    Map<String, Total> totals = new LinkedHashMap<>();
    for (QueueRow row : rows) {
      int missed = row.services() - row.met();
      add(totals, new Total(row.strategy(), row.gpus(), 0, missed, row.services()));
    }
    return List.copyOf(totals.values());
  }

  private static void add(Map<String, Total> totals, Total next) {
    totals.merge(
        next.strategy(),
        next,
        (a, b) ->
            new Total(
                a.strategy(),
                a.gpus() + b.gpus(),
                a.lowerBoundGpus() + b.lowerBoundGpus(),
                a.violations() + b.violations(),
                a.services() + b.services()));
  }
}
