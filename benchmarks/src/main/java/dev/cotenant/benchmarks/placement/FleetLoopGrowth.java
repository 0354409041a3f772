package dev.cotenant.benchmarks.placement;

import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.RandomFleets;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.igniter.IgniterPlanner;
import dev.cotenant.placement.search.Best;
import dev.cotenant.placement.search.Settings;
import dev.cotenant.placement.search.WarmStart;
import dev.cotenant.serving.ControllerSettings;
import dev.cotenant.serving.ControllerState;
import dev.cotenant.serving.FleetController;
import dev.cotenant.serving.FleetReading;
import dev.cotenant.serving.deployment.FleetTarget;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Plans from scratch beside plans from the running one, where one rate in ten changes by 30 %, and
 * the time of a step of the loop, wall and processor: a table for each size.
 */
public final class FleetLoopGrowth {
  private static final long SEED = 5;
  private static final int[] SIZES = {100, 1_000};
  private static final int STEPS = 40;
  private static final int WARM_UPS = 20;
  private static final double CHANGED = 0.1;
  private static final double CHANGE = 0.3;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private FleetLoopGrowth() {}

  /** Arguments: sizes; without any 100 and 1,000 services. */
  public static void main(String[] arguments) {
    int[] sizes = SIZES;
    if (arguments.length > 0) {
      sizes = new int[arguments.length];
      for (int i = 0; i < sizes.length; i++) {
        sizes[i] = Integer.parseInt(arguments[i]);
      }
    }
    for (int size : sizes) {
      System.out.printf("%n%d services%n", size);
      print(size);
    }
  }

  /** iGniter's twelve, with objectives of 1 to 2 and rates of 0.5 to 1 times theirs. */
  private static Fleet fleet(int size, SplittableRandom random) {
    Fleet twelve = RandomFleets.twelve(Arrivals.CONSTANT);
    List<Service> services = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      Service like = twelve.services().get(i % twelve.services().size());
      services.add(
          new Service(
              String.format("s%06d", i),
              like.sloMillis() * (1 + random.nextDouble()),
              like.requestsPerSecond() * (0.5 + 0.5 * random.nextDouble()),
              null,
              like.profiles()));
    }
    return new Fleet(
        List.of(RandomFleets.v100(10 * size)), services, List.of(), List.of(), Arrivals.CONSTANT);
  }

  private static Fleet changed(Fleet fleet, SplittableRandom random) {
    List<Service> services = new ArrayList<>();
    for (Service each : fleet.services()) {
      double change = random.nextBoolean() ? CHANGE : -CHANGE;
      double factor = random.nextDouble() < CHANGED ? 1 + change : 1;
      services.add(
          new Service(
              each.name(),
              each.sloMillis(),
              each.requestsPerSecond() * factor,
              null,
              each.profiles()));
    }
    return fleet.serving(services);
  }

  /** What it took, in milliseconds. */
  private record Timed<T>(T result, double wall, double processor) {
    static <T> Timed<T> of(Supplier<T> work) {
      long wall = System.nanoTime();
      long processor = THREADS.getCurrentThreadCpuTime();
      T result = work.get();
      return new Timed<>(
          result,
          (System.nanoTime() - wall) / NANOS_PER_MILLI,
          (THREADS.getCurrentThreadCpuTime() - processor) / NANOS_PER_MILLI);
    }

    void print(String what, String figures) {
      System.out.printf(
          "%-28s %-52s wall %9.1f ms, processor %9.1f ms%n", what, figures, wall, processor);
    }
  }

  private static void print(int size) {
    SplittableRandom random = new SplittableRandom(SEED);
    Fleet before = fleet(size, random);
    Timed<FleetPlan> igniter = Timed.of(() -> IgniterPlanner.IGNITER.plan(before));
    igniter.print("igniter", igniter.result().gpus().size() + " GPUs");
    Timed<FleetPlan> best = Timed.of(() -> best(before));
    best.print(
        "best",
        best.result().gpus().size()
            + " GPUs, at least "
            + best.result().lowerBoundGpus().orElse(0));
    Fleet after = changed(before, random);
    Timed<FleetPlan> again = Timed.of(() -> best(after));
    int scratch = again.result().gpus().size();
    again.print("best, rates changed", scratch + " GPUs");
    warm(after, best.result().gpus(), scratch);
    steps(before, best.result().gpus(), random);
  }

  private static FleetPlan best(Fleet fleet) {
    return new Best(new Settings(LIMIT, 1, 0), List.of()).plan(fleet);
  }

  private static void warm(Fleet after, List<PlannedGpu> running, int scratch) {
    WarmStart.Limits limits = new WarmStart.Limits(Integer.MAX_VALUE, true, 0.2);
    Timed<WarmStart.Revision> warm = Timed.of(() -> new WarmStart().revise(after, running, limits));
    List<PlannedGpu> used =
        warm.result().gpus().stream().filter(gpu -> !gpu.partitions().isEmpty()).toList();
    int missed =
        new PlacementVerifier(after).ofServices(FleetPlan.of("warm", used, List.of())).missed();
    int moves = warm.result().moves();
    warm.print(
        "warm start, rates changed",
        String.format(
            "%d GPUs (%+.1f %%), %d moves (%.1f %%), %d missed",
            used.size(),
            100.0 * (used.size() - scratch) / scratch,
            moves,
            100.0 * moves / after.services().size(),
            missed));
  }

  /** One rate in ten changes in every step. */
  private static void steps(Fleet fleet, List<PlannedGpu> running, SplittableRandom random) {
    FleetController controller = new FleetController(fleet, ControllerSettings.defaults());
    ControllerState state = ControllerState.running(FleetTarget.NONE.revised(running));
    double wall = 0;
    double processor = 0;
    double longest = 0;
    for (int i = 0; i < WARM_UPS + STEPS; i++) {
      SortedMap<String, Double> rates = new TreeMap<>();
      changed(fleet, random)
          .services()
          .forEach(each -> rates.put(each.name(), each.requestsPerSecond()));
      ControllerState current = state;
      Timed<ControllerState> step =
          Timed.of(() -> controller.decide(current, FleetReading.ofRates(rates)).after());
      state = step.result();
      if (i >= WARM_UPS) {
        wall += step.wall() / STEPS;
        processor += step.processor() / STEPS;
        longest = Math.max(longest, step.processor());
      }
    }
    new Timed<>(state, wall, processor)
        .print(
            "a step of the loop",
            String.format(
                "%d GPUs, longest %.1f ms of processor", state.target().gpus().size(), longest));
  }
}
