package dev.cotenant.benchmarks.simulator;

import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.lab.requests.BatchDurations;
import dev.cotenant.lab.requests.RateCurve;
import dev.cotenant.lab.requests.RequestStream;
import dev.cotenant.lab.requests.ServingSettings;
import dev.cotenant.lab.requests.ServingSettings.Batching;
import dev.cotenant.lab.requests.ServingSettings.Control;
import dev.cotenant.lab.requests.ServingSettings.Traffic;
import dev.cotenant.lab.requests.ServingSimulation;
import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Turn;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Requests simulated in a second, by number of services: each on half a GPU beside another, 500
 * Poisson requests a second, batches of up to 16 at 70 % load, neighbours that slow each other
 * down.
 */
public final class ServingThroughput {
  private static final int[] SERVICES = {2, 20, 200};
  private static final long REQUESTS = 20_000_000;
  private static final double RATE = 500;
  private static final int BATCH = 16;
  private static final double FIXED_MILLIS = 10;
  private static final double EACH_MILLIS = 0.75;
  private static final double BESIDE = 1.1;
  private static final double SLO_MILLIS = 100;
  private static final String DEVICE = "gpu";
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private ServingThroughput() {}

  /** Arguments: requests of a line; without any, 20 million. */
  public static void main(String[] arguments) {
    long requests = arguments.length > 0 ? Long.parseLong(arguments[0]) : REQUESTS;
    System.out.printf(
        "%10s %12s %14s %14s%n", "services", "requests", "processor, s", "requests/s");
    for (int services : SERVICES) {
      print(services, requests);
    }
  }

  private static void print(int services, long requests) {
    List<RequestStream> streams = new ArrayList<>();
    List<PlannedGpu> gpus = new ArrayList<>();
    for (int i = 0; i < services; i += 2) {
      gpus.add(PlannedGpu.serving(DEVICE, List.of(half("s" + i), half("s" + (i + 1)))));
      streams.add(stream("s" + i));
      streams.add(stream("s" + (i + 1)));
    }
    FleetPlan plan = FleetPlan.of("fixed", gpus, List.of());
    Duration time = Duration.ofMillis(Math.round(1_000 * requests / (RATE * services)));
    ServingSettings settings =
        new ServingSettings(
            Map.of(DEVICE, gpus.size()),
            durations(),
            Batching.WHAT_WAITS,
            new Control(SECOND, 1, Duration.ofSeconds(20), SECOND, SECOND),
            new Traffic(Arrivals.POISSON, time, 1));
    long start = THREADS.getCurrentThreadCpuTime();
    ServingTotals totals = ServingSimulation.run(settings, streams, _ -> plan);
    double seconds = (THREADS.getCurrentThreadCpuTime() - start) / Nanoseconds.PER_SECOND;
    long arrived = totals.all().arrived();
    System.out.printf(
        Locale.ROOT, "%10d %12d %14.2f %14.0f%n", services, arrived, seconds, arrived / seconds);
  }

  private static Partition half(String service) {
    return Partition.of(Share.ofPercent(50), new Turn(service, BATCH, RATE));
  }

  private static RequestStream stream(String service) {
    return RequestStream.of(service, SLO_MILLIS, RateCurve.constant(RATE));
  }

  private static BatchDurations durations() {
    return (gpu, running, partition) -> {
      double factor = running[1 - partition] == BatchDurations.IDLE ? 1 : BESIDE;
      BatchTimes times = new BatchTimes(BATCH);
      for (int k = 1; k <= BATCH; k++) {
        double millis = factor * (FIXED_MILLIS + k * EACH_MILLIS);
        times.set(k, millis, millis);
      }
      return times;
    };
  }
}
