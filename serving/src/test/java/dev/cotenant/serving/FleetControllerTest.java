package dev.cotenant.serving;

import static dev.cotenant.placement.fleet.RandomFleets.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.RandomFleets;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.serving.Decision.UnusableRate;
import dev.cotenant.serving.FleetReading.Absurd;
import dev.cotenant.serving.FleetReading.Measured;
import dev.cotenant.serving.FleetReading.NotANumber;
import dev.cotenant.serving.FleetReading.Rate;
import dev.cotenant.serving.FleetReading.Stale;
import dev.cotenant.serving.deployment.FleetTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FleetControllerTest {
  private static final ControllerSettings SETTINGS = ControllerSettings.defaults();

  private static Fleet fleet(int gpus, Service... services) {
    return new Fleet(
        List.of(RandomFleets.v100(gpus)),
        List.of(services),
        List.of(),
        List.of(),
        Arrivals.CONSTANT);
  }

  private static FleetReading rates(Fleet fleet, double factor) {
    SortedMap<String, Double> rates = new TreeMap<>();
    fleet.services().forEach(each -> rates.put(each.name(), each.requestsPerSecond() * factor));
    return FleetReading.ofRates(rates);
  }

  private static FleetReading reading(Map<String, Measured> services) {
    return new FleetReading(new TreeMap<>(services));
  }

  private static Rate rate(double perSecond) {
    return new Rate(perSecond, OptionalDouble.empty(), OptionalDouble.empty());
  }

  private static Rate rate(double perSecond, double p99) {
    return new Rate(perSecond, OptionalDouble.empty(), OptionalDouble.of(p99));
  }

  private static List<Decision> run(
      FleetController controller, ControllerState from, int periods, FleetReading reading) {
    List<Decision> decisions = new ArrayList<>();
    ControllerState state = from;
    for (int i = 0; i < periods; i++) {
      decisions.add(controller.decide(state, reading));
      state = decisions.getLast().after();
    }
    return decisions;
  }

  private static ControllerState settled(FleetController controller, Fleet fleet) {
    return run(controller, ControllerState.EMPTY, 12, rates(fleet, 1)).getLast().after();
  }

  @Test
  void placesAFleetThatRunsNowhere() {
    Fleet fleet = RandomFleets.twelve(Arrivals.CONSTANT);

    Decision decision =
        new FleetController(fleet, SETTINGS).decide(ControllerState.EMPTY, rates(fleet, 1));

    FleetPlan plan = decision.after().target().plan("loop");
    Map<String, Double> served = new TreeMap<>();
    plan.gpus()
        .forEach(gpu ->
            gpu.partitions()
                .forEach(each ->
                    served.merge(
                        each.turns().getFirst().service(),
                        each.turns().getFirst().requestsPerSecond(),
                        Double::sum)));
    fleet
        .services()
        .forEach(each ->
            assertThat(served.get(each.name())).isGreaterThanOrEqualTo(each.requestsPerSecond()));
    assertThat(decision.changes()).allMatch(Change.Start.class::isInstance);
    assertThat(decision.shortfalls()).isEmpty();
  }

  @Test
  void changesNothingWhileRatesAreWhatTheyWere() {
    Fleet fleet = RandomFleets.twelve(Arrivals.CONSTANT);
    FleetController controller = new FleetController(fleet, SETTINGS);
    ControllerState settled = settled(controller, fleet);

    List<Decision> decisions = run(controller, settled, 100, rates(fleet, 1));

    assertThat(decisions).allSatisfy(each -> assertThat(each.changes()).isEmpty());
  }

  @Test
  void changesLittleWhileCountsAreOfPoissonArrivals() {
    Fleet fleet = RandomFleets.twelve(Arrivals.CONSTANT);
    FleetController controller = new FleetController(fleet, SETTINGS);
    ControllerState state = settled(controller, fleet);
    SplittableRandom random = new SplittableRandom(3);
    int changes = 0;
    for (int i = 0; i < 100; i++) {
      SortedMap<String, Double> rates = new TreeMap<>();
      for (Service each : fleet.services()) {
        double seconds = 20;
        double mean = each.requestsPerSecond() * seconds;
        rates.put(each.name(), Math.max(0, mean + Math.sqrt(mean) * random.nextGaussian()) / 20);
      }
      Decision decision = controller.decide(state, FleetReading.ofRates(rates));
      changes += decision.changes().size();
      state = decision.after();
    }

    assertThat(changes).isLessThan(12);
  }

  @Test
  void followsARateThatRisesAndGivesBackWhatItFrees() {
    Fleet fleet = fleet(9, service("a", "vgg19", 40, 150), service("b", "resnet50", 40, 150));
    FleetController controller = new FleetController(fleet, SETTINGS);
    ControllerState low = settled(controller, fleet);
    ControllerState high = run(controller, low, 5, rates(fleet, 2.2)).getLast().after();
    ControllerState again = run(controller, high, 40, rates(fleet, 1)).getLast().after();

    assertThat(low.target().gpus()).hasSize(1);
    assertThat(high.target().gpus()).hasSize(2);
    assertThat(again.target().gpus()).hasSize(1);
  }

  @Test
  void prefersTheCheapestChangeAndSaysWhy() {
    Fleet fleet = fleet(9, service("a", "vgg19", 40, 150), service("b", "resnet50", 40, 150));
    FleetController controller = new FleetController(fleet, SETTINGS);
    ControllerState low = settled(controller, fleet);
    SortedMap<String, Measured> reading = new TreeMap<>(rates(fleet, 1).services());
    reading.put("b", rate(200));

    Decision decision = controller.decide(low, reading(reading));

    assertThat(decision.changes())
        .isNotEmpty()
        .allSatisfy(each -> assertThat(each.rank()).isLessThanOrEqualTo(1));
    assertThat(decision.changes().getFirst().cause().clause())
        .contains("may exceed", "planned for");
  }

  @Test
  void holdsThePlanOfServicesWhoseRateCannotBeUsed() {
    Fleet fleet = fleet(9, service("a", "vgg19", 40, 150), service("b", "resnet50", 40, 150));
    FleetController controller = new FleetController(fleet, SETTINGS);
    ControllerState settled = settled(controller, fleet);
    for (Measured bad :
        List.of(
            rate(Double.NaN),
            rate(-1),
            rate(Double.POSITIVE_INFINITY),
            rate(1e7),
            new Stale(Duration.ofMinutes(9), Duration.ofMinutes(2)))) {
      Decision decision = controller.decide(settled, reading(Map.of("a", bad, "b", rate(150))));

      assertThat(decision.after().target()).isEqualTo(settled.target());
      assertThat(decision.unusableRates()).extracting(UnusableRate::service).containsExactly("a");
      assertThat(decision.unusableRates().getFirst().why().clause()).isNotBlank();
    }
    Decision absent = controller.decide(settled, reading(Map.of()));

    assertThat(absent.unusableRates()).hasSize(2);
    assertThat(absent.after().target()).isEqualTo(settled.target());
  }

  @Test
  void namesWhatIsWrongWithARate() {
    Fleet fleet = fleet(9, service("a", "vgg19", 40, 150));
    FleetController controller = new FleetController(fleet, SETTINGS);
    ControllerState settled = settled(controller, fleet);

    assertThat(controller.decide(settled, reading(Map.of("a", rate(Double.NaN)))).unusableRates())
        .containsExactly(new UnusableRate("a", new NotANumber(Double.NaN)));
    assertThat(
            controller
                .decide(settled, reading(Map.of("a", rate(1e6))))
                .unusableRates()
                .getFirst()
                .why())
        .isInstanceOf(Absurd.class);
  }

  @Test
  void believesAnAbsurdRateThatLasts() {
    Fleet fleet = fleet(999, service("a", "vgg19", 40, 100));
    FleetController controller = new FleetController(fleet, SETTINGS);
    ControllerState settled = settled(controller, fleet);

    List<Decision> decisions = run(controller, settled, 3, reading(Map.of("a", rate(5_000))));

    assertThat(decisions.get(1).after().target()).isEqualTo(settled.target());
    assertThat(decisions.get(2).unusableRates()).isEmpty();
    assertThat(decisions.get(2).after().target().gpus().size()).isGreaterThan(5);
  }

  @Test
  void saysWhichServiceIsNotServedByHowMuchAndWhatWouldDo() {
    Fleet fleet = fleet(1, service("a", "vgg19", 40, 150), service("b", "resnet50", 40, 150));
    FleetController controller = new FleetController(fleet, SETTINGS);
    ControllerState settled = settled(controller, fleet);

    Decision decision = run(controller, settled, 2, rates(fleet, 2.2)).getLast();

    assertThat(decision.shortfalls()).isNotEmpty();
    Decision.Shortfall shortfall = decision.shortfalls().getFirst();
    assertThat(shortfall.neededPerSecond()).isGreaterThan(shortfall.servedPerSecond());
    assertThat(shortfall.moreGpus()).isEqualTo(1);
    assertThat(shortfall.sentence()).contains("1 more v100");
  }

  @Test
  void makesNoMoreMovesInAPeriodThanAllowed() {
    Fleet fleet = RandomFleets.twelve(Arrivals.CONSTANT);
    ControllerSettings few =
        new ControllerSettings(SETTINGS.rates(), new ControllerSettings.Moves(1, 0.2));
    FleetController controller = new FleetController(fleet, few);
    ControllerState settled = settled(controller, fleet);

    List<Decision> decisions = run(controller, settled, 12, rates(fleet, 1.6));

    assertThat(decisions)
        .allSatisfy(each ->
            assertThat(each.changes().stream().filter(Change.Move.class::isInstance).count())
                .isLessThanOrEqualTo(1));
    assertThat(decisions.getFirst().deferred()).isTrue();
    assertThat(decisions.getLast().deferred()).isFalse();
  }

  @Test
  void givesTenPercentMoreAtOnceWhereAPredictionBreaksAndCorrectsTheModel() {
    Fleet fleet = fleet(9, service("a", "resnet50", 40, 200));
    FleetController controller = new FleetController(fleet, SETTINGS);
    ControllerState settled = settled(controller, fleet);
    FleetReading late = reading(Map.of("a", rate(200, 50)));

    Decision first = controller.decide(settled, late);
    Decision second = controller.decide(first.after(), late);

    assertThat(first.changes()).isEmpty();
    assertThat(second.changes())
        .singleElement()
        .isInstanceOfSatisfying(
            Change.NewShare.class,
            each ->
                assertThat(each.after().share().permille() - each.before().share().permille())
                    .isEqualTo(100));
    assertThat(second.changes().getFirst().cause().clause()).contains("50.0 ms of 40.0 ms");
    assertThat(second.after().services())
        .hasEntrySatisfying("a", each -> assertThat(each.correction()).isGreaterThan(1));
  }

  @Test
  void theGuardDoesNothingWhereLatenciesAreWithinObjectives() {
    Fleet fleet = fleet(9, service("a", "resnet50", 40, 200));
    FleetController controller = new FleetController(fleet, SETTINGS);
    ControllerState state = settled(controller, fleet);
    for (int i = 0; i < 2_000; i++) {
      Decision decision = controller.decide(state, reading(Map.of("a", rate(200, 39.9))));
      assertThat(decision.changes()).isEmpty();
      state = decision.after();
    }
  }

  @Test
  void takesOverAFleetThatRuns() {
    Fleet fleet = fleet(9, service("a", "vgg19", 40, 150), service("b", "resnet50", 40, 150));
    FleetController controller = new FleetController(fleet, SETTINGS);
    FleetTarget running = settled(controller, fleet).target();

    Decision decision = controller.decide(ControllerState.running(running), rates(fleet, 1));

    assertThat(decision.changes()).noneMatch(Change.Move.class::isInstance);
    assertThat(decision.changes()).noneMatch(Change.Start.class::isInstance);
  }

  @Test
  void stopsAServiceThatLeftTheFleet() {
    Fleet both = fleet(9, service("a", "vgg19", 40, 150), service("b", "resnet50", 40, 150));
    ControllerState settled = settled(new FleetController(both, SETTINGS), both);
    Fleet one = fleet(9, service("a", "vgg19", 40, 150));

    Decision decision = new FleetController(one, SETTINGS).decide(settled, rates(one, 1));

    assertThat(decision.changes()).singleElement().isInstanceOf(Change.Stop.class);
    assertThat(decision.changes().getFirst().cause().kind()).isEqualTo(Cause.Kind.REMOVED);
  }

  @Test
  void targetsOfRandomFleetsHaveNoFaults() {
    for (long seed = 0; seed < 15; seed++) {
      Fleet fleet = RandomFleets.of(seed, Arrivals.CONSTANT);
      FleetController controller = new FleetController(fleet, SETTINGS);
      SplittableRandom random = new SplittableRandom(seed);
      ControllerState state = ControllerState.EMPTY;
      for (int i = 0; i < 20; i++) {
        SortedMap<String, Double> rates = new TreeMap<>();
        fleet
            .services()
            .forEach(each ->
                rates.put(
                    each.name(), each.requestsPerSecond() * (0.3 + 1.5 * random.nextDouble())));
        Decision decision = controller.decide(state, FleetReading.ofRates(rates));
        state = decision.after();
        FleetTarget target = state.target();
        assertThat(new PlacementVerifier(fleet).ofServices(target.plan("loop")).faults())
            .as("seed %d", seed)
            .noneMatch(fault -> fault.toString().contains("Exceeded"));
      }
    }
  }

  @Test
  void refusesSettingsThatAreNone() {
    assertThatThrownBy(() -> new ControllerSettings.Rates(0, 0.9, 0.1, 0.25, 3))
        .hasMessageContaining("weight");
    assertThatThrownBy(() -> new ControllerSettings.Rates(0.5, 1, 0.1, 0.25, 3))
        .hasMessageContaining("coverage");
    assertThatThrownBy(() -> new ControllerSettings.Rates(0.5, 0.9, Double.NaN, 0.25, 3))
        .hasMessageContaining("headroom");
    assertThatThrownBy(() -> new ControllerSettings.Rates(0.5, 0.9, 0.1, 1, 3))
        .hasMessageContaining("slack");
    assertThatThrownBy(() -> new ControllerSettings.Rates(0.5, 0.9, 0.1, 0.25, 0))
        .hasMessageContaining("calm periods");
    assertThatThrownBy(() -> new ControllerSettings.Moves(-1, 0.2)).hasMessageContaining("moves");
    assertThatThrownBy(() -> new ControllerSettings.Moves(1, 0)).hasMessageContaining("price");
  }
}
