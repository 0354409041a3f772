package dev.cotenant.serving;

import dev.cotenant.serving.deployment.FleetTarget;
import dev.cotenant.serving.rate.RateMemory;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * State of a {@link FleetController} between periods, stored by its caller, so that a restart
 * continues with it.
 *
 * @param period how many decisions there were
 * @param target what is to run
 * @param services by name
 */
public record ControllerState(
    long period, FleetTarget target, SortedMap<String, ServiceState> services) {
  /** Before the first decision. */
  public static final ControllerState EMPTY =
      new ControllerState(0, FleetTarget.NONE, new TreeMap<>());

  public ControllerState {
    services = Collections.unmodifiableSortedMap(new TreeMap<>(services));
  }

  /** Before the first decision about a fleet that runs already. */
  public static ControllerState running(FleetTarget target) {
    return new ControllerState(0, target, new TreeMap<>());
  }

  /**
   * Of one service.
   *
   * @param rates observed
   * @param plannedPerSecond the rate that the target is made for
   * @param calm for how many periods in a row less was wanted
   * @param doubtful how many absurd rates came in a row
   * @param strikes how many latencies in a row were beyond the objective
   * @param correction by which its times are longer than predicted, at least 1
   */
  public record ServiceState(
      RateMemory rates,
      double plannedPerSecond,
      int calm,
      int doubtful,
      int strikes,
      double correction) {
    /** A service that was not observed yet. */
    static ServiceState stated(double requestsPerSecond) {
      return new ServiceState(RateMemory.stated(requestsPerSecond), requestsPerSecond, 0, 0, 0, 1);
    }
  }
}
