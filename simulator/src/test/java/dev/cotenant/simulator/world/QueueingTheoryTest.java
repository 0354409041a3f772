package dev.cotenant.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.Iterator;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One GPU, Poisson arrivals, jobs of one second: M/D/1. */
class QueueingTheoryTest {
  private static final Policy EXCLUSIVE =
      new Policy() {
        @Override
        public Placement place(JobView job, View view) {
          return view.idle().isEmpty() ? Placement.waiting() : Placement.on(view.idle().first());
        }

        @Override
        public Object schedulingClass(JobView job) {
          return "any";
        }
      };

  private static Iterator<Arrival> poisson(double perSecond, int count) {
    SplittableRandom random = new SplittableRandom(11);
    Submission submission = Worlds.submission("job", 50, MemorySize.ofGiB(1));
    Truth truth =
        Truth.of(Phase.of(Duration.ofSeconds(1), new Phase.Load("job", 50), MemorySize.ofGiB(1)));
    return new Iterator<>() {
      private double at;
      private int left = count;

      @Override
      public boolean hasNext() {
        return left > 0;
      }

      @Override
      public Arrival next() {
        left--;
        at -= StrictMath.log(1 - random.nextDouble()) / perSecond;
        return new Arrival(Duration.ofNanos((long) (at * 1e9)), submission, truth);
      }
    };
  }

  /** Pollaczek and Khinchin: the mean wait is ρ / (2 (1 − ρ)) services. */
  @ParameterizedTest
  @ValueSource(doubles = {0.3, 0.5, 0.7})
  void meanWaitsAreThoseOfMd1(double load) {
    Totals totals = World.run(Worlds.gpus(1, Worlds.FIFTH), poisson(load, 1_000_000), EXCLUSIVE);

    assertThat(totals.meanWaitSeconds()).isCloseTo(load / (2 * (1 - load)), withinPercentage(1));
    assertThat(totals.meanUtilizationPercent()).isCloseTo(50 * load, withinPercentage(1));
  }

  /** The mean number in the system, integrated here, is the rate times the mean time in it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void littlesLawHolds(int gpus) {
    World world = new World(Worlds.gpus(gpus, Worlds.FIFTH), EXCLUSIVE, _ -> {});
    double[] area = {0, 0, 0};
    int count = 200_000;
    Totals totals =
        world.run(
            poisson(0.8 * gpus, count),
            now -> {
              area[0] += area[2] * (now - area[1]);
              area[1] = now;
              area[2] = world.inSystem();
              return true;
            });

    double mean = area[0] / 1e9 / totals.makespanSeconds();
    double rate = count / totals.makespanSeconds();
    assertThat(mean)
        .isCloseTo(
            rate * (totals.meanWaitSeconds() + totals.meanRunSeconds()), withinPercentage(0.001));
  }
}
