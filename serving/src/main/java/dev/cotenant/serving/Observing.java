package dev.cotenant.serving;

import dev.cotenant.serving.ControllerState.ServiceState;
import dev.cotenant.serving.FleetReading.Absurd;
import dev.cotenant.serving.FleetReading.Measured;
import dev.cotenant.serving.FleetReading.Missing;
import dev.cotenant.serving.FleetReading.NotANumber;
import dev.cotenant.serving.FleetReading.Rate;
import dev.cotenant.serving.rate.RateMemory;

/** Which rates are accepted, and which are planned for. */
final class Observing {
  /*
   * A rate beyond 20 times everything seen or stated is accepted in its third period in a row: a
   * counter that is scraped wrongly makes such a rate once. Planned rates are on a grid of 5 %, so
   * that services are alike and small changes change nothing. They rise at once with the bound, and
   * fall when less by the slack is wanted for some periods.
   */
  private static final double MAX_JUMP = 20;
  private static final int BELIEVED_AFTER = 3;
  private static final double GRID = Math.log(1.05);
  private static final double MIN_PER_SECOND = 0.01;

  private final ControllerSettings.Rates settings;

  Observing(ControllerSettings.Rates settings) {
    this.settings = settings;
  }

  /** A state after an observation, or unchanged but for a doubt, and why. */
  sealed interface Observed {
    /** From now on. */
    ServiceState state();
  }

  /** The rate counts. */
  record Counted(ServiceState state) implements Observed {}

  /** The rate does not count. */
  record Refused(ServiceState state, Missing why) implements Observed {}

  Observed observe(ServiceState before, double stated, Measured measured) {
    return switch (measured) {
      case Missing missing -> new Refused(before, missing);
      case Rate rate -> observe(before, stated, rate.requestsPerSecond());
    };
  }

  private Observed observe(ServiceState before, double stated, double rate) {
    if (!(rate >= 0 && rate < Double.POSITIVE_INFINITY)) {
      return new Refused(before, new NotANumber(rate));
    }
    double known = Math.max(stated, before.rates().average());
    double most = MAX_JUMP * Math.max(known, before.plannedPerSecond());
    if (rate > most && before.doubtful() + 1 < BELIEVED_AFTER) {
      return new Refused(doubting(before), new Absurd(rate, most));
    }
    return new Counted(counted(before, rate));
  }

  private static ServiceState doubting(ServiceState before) {
    return new ServiceState(
        before.rates(),
        before.plannedPerSecond(),
        before.calm(),
        before.doubtful() + 1,
        before.strikes(),
        before.correction());
  }

  private ServiceState counted(ServiceState before, double rate) {
    RateMemory rates = before.rates().with(rate, settings.weight());
    double bound = rates.bound(settings.coverage());
    double wanted = onGrid(bound * (1 + settings.headroom()));
    double planned = before.plannedPerSecond();
    boolean isLess = wanted < planned * (1 - settings.slack());
    int calm = isLess ? before.calm() + 1 : 0;
    boolean changes = bound > planned || calm >= settings.calmPeriods();
    return new ServiceState(
        rates,
        changes ? wanted : planned,
        changes ? 0 : calm,
        0,
        before.strikes(),
        before.correction());
  }

  /** The next rate of the grid. */
  static double onGrid(double rate) {
    double least = Math.max(rate, MIN_PER_SECOND);
    return Math.exp(GRID * Math.ceil(Math.log(least) / GRID - 1e-9));
  }
}
