package dev.cotenant.serving.deployment;

import static dev.cotenant.placement.fleet.RandomFleets.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.RandomFleets;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.serving.ControllerSettings;
import dev.cotenant.serving.ControllerState;
import dev.cotenant.serving.FleetController;
import dev.cotenant.serving.FleetReading;
import dev.cotenant.serving.deployment.Reconciler.Next;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Rates that change while steps are lost, late and repeated, what is seen is lost and late, the
 * controller restarts, and partitions die.
 */
class InterleavingsTest {
  private static final int RUNS = Integer.getInteger("cotenant.fleet.runs", 300);
  private static final int EVENTS = 60;
  private static final int MAX_ROUNDS = 400;
  private static final String[] MODELS = {"alexnet", "resnet50", "vgg19", "ssd"};

  /** One run: what is written down, what is under way, and what really runs. */
  private static final class Run {
    private final SplittableRandom random;
    private final Fleet fleet;
    private final FakeExecutor executor = new FakeExecutor();
    private final List<Step> underWay = new ArrayList<>();
    private final List<Seen> seen = new ArrayList<>();
    private FleetController controller;
    private ControllerState state = ControllerState.EMPTY;
    private Journal journal = Journal.EMPTY;

    Run(long seed) {
      random = new SplittableRandom(seed);
      List<Service> services = new ArrayList<>();
      int count = 2 + random.nextInt(5);
      for (int i = 0; i < count; i++) {
        String model = MODELS[random.nextInt(MODELS.length)];
        double slo = 25 + 40 * random.nextDouble();
        services.add(service("s" + i, model, slo, 20 + 300 * random.nextDouble()));
      }
      fleet =
          new Fleet(
              List.of(RandomFleets.v100(40)), services, List.of(), List.of(), Arrivals.CONSTANT);
      controller = controller();
    }

    private FleetController controller() {
      return new FleetController(
          fleet, ControllerSettings.defaults().with(new ControllerSettings.Moves(4, 0.2)));
    }

    void go() {
      decide();
      for (int i = 0; i < EVENTS; i++) {
        event();
      }
      settle();
    }

    private void event() {
      switch (random.nextInt(9)) {
        case 0 -> decide();
        case 1 -> executor.makeReady(random, 0.6);
        case 2 -> seen.add(executor.seen());
        case 3, 4 -> reconcile(random.nextInt(6) == 0);
        case 5, 6 -> deliver();
        case 7 -> restart();
        default -> {
          if (random.nextInt(4) == 0) {
            executor.kill(random);
          }
        }
      }
    }

    private void decide() {
      SortedMap<String, Double> rates = new TreeMap<>();
      for (Service each : fleet.services()) {
        double factor = Math.exp(1.2 * random.nextGaussian());
        rates.put(each.name(), each.requestsPerSecond() * Math.min(6, factor));
      }
      state = controller.decide(state, FleetReading.ofRates(rates)).after();
      executor.expect(state.target());
    }

    /** What is seen may be any instant, late ones after newer ones. */
    private void reconcile(boolean dies) {
      if (seen.isEmpty()) {
        return;
      }
      Seen instant = seen.get(random.nextInt(seen.size()));
      Next next = Reconciler.next(journal, state.target(), instant, spare());
      journal = next.journal();
      if (!dies) {
        next.steps().stream().filter(_ -> random.nextInt(4) > 0).forEach(underWay::add);
      }
    }

    /** Steps come in any order, some twice. */
    private void deliver() {
      if (!underWay.isEmpty()) {
        int index = random.nextInt(underWay.size());
        Step step = random.nextInt(5) == 0 ? underWay.get(index) : underWay.remove(index);
        executor.take(step);
      }
    }

    private void restart() {
      controller = controller();
      if (random.nextBoolean()) {
        seen.clear();
      }
    }

    private void settle() {
      while (!underWay.isEmpty()) {
        executor.take(underWay.remove(random.nextInt(underWay.size())));
      }
      for (int round = 0; round < MAX_ROUNDS; round++) {
        Next next = Reconciler.next(journal, state.target(), executor.seen(), spare());
        journal = next.journal();
        next.steps().forEach(executor::take);
        executor.makeReady(random, 1);
        if (next.isDone()) {
          executor.reached(state.target());
          assertThat(executor.running()).isEqualTo(FakeExecutor.of(state.target()));
          return;
        }
      }
      assertThat(executor.running())
          .as("after all rounds")
          .isEqualTo(FakeExecutor.of(state.target()));
    }

    /** More GPUs than the target uses. */
    private Map<String, String> spare() {
      SortedMap<String, String> spare = new TreeMap<>();
      for (int i = 60; i < 66; i++) {
        spare.put(RandomFleets.V100 + "-00" + i, RandomFleets.V100);
      }
      return spare;
    }
  }

  @Test
  void noInstantHasFewerReadyPartitionsOrMoreThanAWholeGpuAndTheEndIsTheTarget() {
    for (int seed = 0; seed < RUNS; seed++) {
      try {
        new Run(seed).go();
      } catch (AssertionError e) {
        throw new AssertionError("run " + seed + ": " + e.getMessage(), e);
      }
    }
  }
}
