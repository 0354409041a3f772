package dev.cotenant.serving;

import dev.cotenant.placement.fleet.PlanReason;
import java.util.List;
import java.util.Locale;

/**
 * What a {@link FleetController} wants after one period.
 *
 * @param after the state from now on, with the target
 * @param changes from the last target to this one, the cheapest first
 * @param unusableRates services whose rates could not be used: the last ones stand
 * @param shortfalls services that the target does not serve in full
 * @param deferred whether changes wait because the moves of this period are spent
 */
public record Decision(
    ControllerState after,
    List<Change> changes,
    List<UnusableRate> unusableRates,
    List<Shortfall> shortfalls,
    boolean deferred) {
  public Decision {
    changes = List.copyOf(changes);
    unusableRates = List.copyOf(unusableRates);
    shortfalls = List.copyOf(shortfalls);
  }

  /**
   * A service whose rate could not be used.
   *
   * @param service its name
   * @param why there is none
   */
  public record UnusableRate(String service, FleetReading.Missing why) {}

  /**
   * A service that is not served in full.
   *
   * @param service its name
   * @param neededPerSecond planned rate
   * @param servedPerSecond what its partitions serve in time
   * @param moreGpus additional GPUs that would place all such services; 0 if no number of GPUs does
   * @param device their kind; empty where none helps
   * @param reasons one per kind of device
   */
  public record Shortfall(
      String service,
      double neededPerSecond,
      double servedPerSecond,
      int moreGpus,
      String device,
      List<PlanReason> reasons) {
    public Shortfall {
      reasons = List.copyOf(reasons);
    }

    /** One sentence for people. */
    public String sentence() {
      String needed =
          moreGpus > 0
              ? String.format(Locale.ROOT, "%d more %s would do", moreGpus, device)
              : "no number of these GPUs would do";
      return String.format(
          Locale.ROOT,
          "%s is served %.1f of %.1f requests a second in time: %s (%s)",
          service,
          servedPerSecond,
          neededPerSecond,
          needed,
          reasons.stream().map(PlanReason::sentence).reduce((a, b) -> a + "; " + b).orElse(""));
    }
  }
}
