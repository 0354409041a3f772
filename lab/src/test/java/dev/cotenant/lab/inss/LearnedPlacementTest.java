package dev.cotenant.lab.inss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.lab.requests.Observation;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.inss.InssPlanner;
import dev.cotenant.predictor.plugin.NetworkLoader.Network;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The networks that ship. */
class LearnedPlacementTest {
  private final InssServer server = InssServer.ofSix();

  /** Rates of the middle of those that were trained on. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void placesEveryModelAndBdaFindsItsBatches(int seed) {
    Map<String, Double> rates =
        server.models().stream()
            .collect(
                Collectors.toMap(InssServer.Model::name, each -> 0.3 * server.wholeRate(each)));
    Fleet fleet = server.fleet(rates);
    TreeMap<String, Observation.Seen> seen = new TreeMap<>();
    rates.forEach((model, rate) -> seen.put(model, new Observation.Seen(rate, 0, 0)));
    FleetPlan none = FleetPlan.of("none", List.of(), List.of());
    try (Network network = LearnedPlacement.trained(seed)) {
      LearnedPlacement placement =
          new LearnedPlacement(server, network, new Observation(Duration.ZERO, none, seen));

      FleetPlan proposal = placement.propose(fleet);

      assertThat(proposal.unplaced()).isEmpty();
      assertThat(proposal.sharePercent()).isLessThanOrEqualTo(400);
      FleetPlan plan = new InssPlanner().plan(fleet.placed(BatchesByBda.shares(fleet, proposal)));
      assertThat(plan.unplaced()).isEmpty();
      assertThat(placement.propose(fleet)).isEqualTo(proposal);
    }
  }
}
