package dev.cotenant.lab.serving;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.plans.IgniterFleets;
import dev.cotenant.lab.plans.ShadowProcess;
import dev.cotenant.lab.plans.TimedGpu;
import dev.cotenant.lab.plans.TimedGpu.Period;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.igniter.IgniterPlanner;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** iGniter's guard on every service of its plan of twelve, each underestimated in turn. */
final class IgniterUnderestimates {
  /** Relative underestimates of one service's times. */
  private static final double[] UNDERESTIMATES = {0.15, 0.3};

  private static final int QUIET_PERIODS = 2_000;
  private static final double GUARD_SECONDS = 1.5;
  private static final double SECONDS =
      IgniterOverTime.SHADOW_PERIODS * IgniterOverTime.HALF_SECOND / Milliseconds.PER_SECOND;
  private static final String ALL_READING =
      "every service of the plan in turn with times longer than predicted, its neighbours as"
          + " predicted, for ten seconds. Plans have a few percent of throughput to spare, so that"
          + " an underestimate of 15 % overloads every partition; the guard helps where the GPU has"
          + " share left, and where up to 10 points are enough";

  private IgniterUnderestimates() {}

  /** Effect of underestimating the services one at a time. */
  private record Underestimate(
      int late, int taken, int unmet, int unmetThough, double seconds, double points) {}

  static List<Cell> cells() {
    Fleet fleet = IgniterFleets.twelve();
    FleetPlan plan = IgniterPlanner.IGNITER.plan(fleet);
    List<Cell> cells = new ArrayList<>();
    for (double error : UNDERESTIMATES) {
      Sheet<Underestimate> sheet =
          new Sheet<>(String.format(Locale.ROOT, "all services, error %.0f %%", 100 * error));
      sheet.add(
          IgniterOverTime.SHADOW,
          underestimate(fleet, plan, error, () -> new ShadowProcess(fleet)));
      sheet.add(
          IgniterOverTime.WITHOUT,
          underestimate(fleet, plan, error, () -> TimedGpu.Controller.NONE));
      addUnderestimates(sheet);
      cells.addAll(sheet.cells());
    }
    Sheet<Integer> quiet = new Sheet<>("no error, 1,000 s");
    quiet.add(IgniterOverTime.SHADOW, changesWithoutError(fleet, plan));
    quiet.figure(
        "changes", changes -> changes, _ -> new Published(null, Bar.atMost(0), ALL_READING));
    cells.addAll(quiet.cells());
    return cells;
  }

  private static Underestimate underestimate(
      Fleet fleet, FleetPlan plan, double error, Supplier<TimedGpu.Controller> controller) {
    int late = 0;
    int taken = 0;
    int unmet = 0;
    int unmetThough = 0;
    double seconds = 0;
    double points = 0;
    for (PlannedGpu gpu : plan.gpus()) {
      for (int own = 0; own < gpu.partitions().size(); own++) {
        List<Double> errors = new ArrayList<>(Collections.nCopies(gpu.partitions().size(), 0.0));
        errors.set(own, error);
        TimedGpu.Settings settings =
            new TimedGpu.Settings(
                IgniterOverTime.HALF_SECOND, IgniterOverTime.SHADOW_PERIODS, errors);
        List<Period> periods = new TimedGpu(fleet, gpu, settings).run(controller.get());
        double last = lastLateSecond(fleet, periods, own);
        boolean isUnmet = last >= SECONDS;
        List<Double> shares = IgniterOverTime.shares(periods, own);
        double more = shares.getLast() - shares.getFirst();
        late += last > 0 ? 1 : 0;
        unmet += isUnmet ? 1 : 0;
        taken += more > 0 ? 1 : 0;
        unmetThough += isUnmet && more > 0 ? 1 : 0;
        seconds = isUnmet ? seconds : Math.max(seconds, last - GUARD_SECONDS);
        points = Math.max(points, more);
      }
    }
    return new Underestimate(late, taken, unmet, unmetThough, seconds, points);
  }

  /** The end of the last period beyond the objective; 0 without one. */
  private static double lastLateSecond(Fleet fleet, List<Period> periods, int partition) {
    return periods.stream()
        .filter(period ->
            period.readings().get(partition).p99Millis()
                > TimedGpu.objectiveMillis(fleet, period.gpu().partitions().get(partition)))
        .mapToDouble(period -> period.endMillis() / Milliseconds.PER_SECOND)
        .max()
        .orElse(0);
  }

  private static void addUnderestimates(Sheet<Underestimate> sheet) {
    Published reading = Published.none(ALL_READING);
    sheet.figure("services_late", Underestimate::late, _ -> reading);
    sheet.figure("services_with_takeover", Underestimate::taken, _ -> reading);
    sheet.figure(
        "services_late_at_the_end",
        Underestimate::unmet,
        policy ->
            policy.equals(IgniterOverTime.SHADOW)
                ? new Published(null, Bar.atMost(0), ALL_READING)
                : reading);
    sheet.figure(
        "services_late_at_the_end_with_takeover", Underestimate::unmetThough, _ -> reading);
    sheet.figure(
        "seconds_late_after_the_guard_of_the_others",
        Underestimate::seconds,
        policy ->
            policy.equals(IgniterOverTime.SHADOW)
                ? new Published(null, Bar.atMost(2), ALL_READING)
                : reading);
    sheet.figure(
        "points_of_share_more_at_most",
        Underestimate::points,
        _ -> new Published(null, Bar.atMost(10), ALL_READING));
  }

  private static int changesWithoutError(Fleet fleet, FleetPlan plan) {
    int changes = 0;
    for (PlannedGpu gpu : plan.gpus()) {
      List<Double> none = gpu.partitions().stream().map(_ -> 0.0).toList();
      TimedGpu.Settings settings =
          new TimedGpu.Settings(IgniterOverTime.HALF_SECOND, QUIET_PERIODS, none);
      List<Period> periods = new TimedGpu(fleet, gpu, settings).run(new ShadowProcess(fleet));
      for (int i = 0; i < gpu.partitions().size(); i++) {
        changes += IgniterOverTime.changes(periods, i);
      }
    }
    return changes;
  }
}
