package dev.cotenant.lab.inss;

import dev.cotenant.lab.requests.Observation;
import dev.cotenant.lab.requests.ServingPolicy;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.serving.ControllerSettings;
import dev.cotenant.serving.ControllerState;
import dev.cotenant.serving.Decision;
import dev.cotenant.serving.FleetController;
import dev.cotenant.serving.FleetReading;
import dev.cotenant.serving.FleetReading.Measured;
import dev.cotenant.serving.FleetReading.Rate;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;

/** The product's control loop on simulated requests: its readings are rates and latencies. */
final class ControlledFleet implements ServingPolicy {
  private final FleetController controller;
  private ControllerState state = ControllerState.EMPTY;

  /**
   * @param fleet with rates that are stated
   */
  ControlledFleet(Fleet fleet) {
    controller = new FleetController(fleet, ControllerSettings.defaults());
  }

  @Override
  public FleetPlan plan(Observation seen) {
    SortedMap<String, Measured> readings = new TreeMap<>();
    seen.services()
        .forEach((service, own) ->
            readings.put(
                service,
                new Rate(
                    own.requestsPerSecond(),
                    OptionalDouble.empty(),
                    own.p99Millis() > 0
                        ? OptionalDouble.of(own.p99Millis())
                        : OptionalDouble.empty())));
    Decision decision = controller.decide(state, new FleetReading(readings));
    state = decision.after();
    return state.target().plan("controller");
  }
}
