package dev.cotenant.benchmarks.placement;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.igniter.IgniterPlanner;
import dev.cotenant.placement.igniter.RandomFleets;
import dev.cotenant.placement.igniter.TranscribedIgniter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;

/**
 * How the time of a plan grows with the fleet: one line a size, with wall and processor time of the
 * faster of two runs, and the power of the size that it grew with since the line before.
 */
public final class PlanningGrowth {
  private static final long SEED = 7;
  private static final int RUNS = 2;
  private static final int[] SIZES = {1_000, 3_000, 10_000, 30_000, 100_000};
  private static final int WARM_UP_SIZE = 1_000;
  private static final int WARM_UPS = 100;
  private static final int MAX_TRANSCRIBED = 3_000;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private PlanningGrowth() {}

  /** What one plan took. */
  private record Time(double wallMillis, double processorMillis) {}

  /** Arguments: sizes; by default up to 100,000. */
  public static void main(String[] arguments) {
    int[] sizes = SIZES;
    if (arguments.length > 0) {
      sizes = new int[arguments.length];
      for (int i = 0; i < sizes.length; i++) {
        sizes[i] = Integer.parseInt(arguments[i]);
      }
    }
    print("alike", sizes, RandomFleets::published);
    print("all different", sizes, RandomFleets::continuous);
  }

  /** Draws a fleet. */
  @FunctionalInterface
  private interface Draw {
    Fleet fleet(int count, long seed);
  }

  private static void print(String kind, int[] sizes, Draw draw) {
    Fleet small = draw.fleet(WARM_UP_SIZE, SEED);
    for (int i = 0; i < WARM_UPS; i++) {
      IgniterPlanner.IGNITER.plan(small);
    }
    System.out.printf(
        "%n%-14s %10s %8s %10s %14s %7s %16s%n",
        kind, "workloads", "GPUs", "wall, ms", "processor, ms", "power", "transcribed, ms");
    double before = 0;
    int sizeBefore = 0;
    for (int size : sizes) {
      Fleet fleet = draw.fleet(size, SEED);
      Time own = time(IgniterPlanner.IGNITER, fleet);
      String power =
          sizeBefore == 0
              ? "-"
              : String.format(
                  Locale.ROOT,
                  "%.2f",
                  Math.log(own.processorMillis() / before) / Math.log((double) size / sizeBefore));
      String other =
          size <= MAX_TRANSCRIBED
              ? String.format(
                  Locale.ROOT, "%.0f", time(new TranscribedIgniter(), fleet).processorMillis())
              : "-";
      System.out.printf(
          Locale.ROOT,
          "%-14s %10d %8d %10.1f %14.1f %7s %16s%n",
          "",
          size,
          IgniterPlanner.IGNITER.plan(fleet).gpus().size(),
          own.wallMillis(),
          own.processorMillis(),
          power,
          other);
      before = own.processorMillis();
      sizeBefore = size;
    }
  }

  private static Time time(ServicePlanner planner, Fleet fleet) {
    Time best = new Time(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
    for (int i = 0; i < RUNS; i++) {
      long wall = System.nanoTime();
      long processor = THREADS.getCurrentThreadCpuTime();
      planner.plan(fleet);
      double processorMillis = (THREADS.getCurrentThreadCpuTime() - processor) / NANOS_PER_MILLI;
      double wallMillis = (System.nanoTime() - wall) / NANOS_PER_MILLI;
      best =
          new Time(
              Math.min(best.wallMillis(), wallMillis),
              Math.min(best.processorMillis(), processorMillis));
    }
    return best;
  }
}
