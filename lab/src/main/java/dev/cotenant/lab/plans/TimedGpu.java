package dev.cotenant.lab.plans;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.RequestQueue;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.List;

/**
 * A GPU of services over time: requests at equal intervals, and a controller that reads what was
 * measured and changes partitions while they run. One service in each partition; partitions are
 * identified by their index.
 */
public final class TimedGpu {
  /*
   * Time advances in control periods. Within one, every partition takes what waits, up to its batch,
   * as soon as it is free, as RequestQueue does; a batch takes the model's time beside the partitions
   * in force at the start of the period, times the injected error. A change replaces the process of
   * a partition: requests that wait at the old process fail, later ones go to the new one.
   */
  private static final double PERCENTILE = 0.99;

  private final Fleet fleet;
  private final Settings settings;
  private final List<Partition> partitions;
  private final String device;
  private final List<Queue> queues = new ArrayList<>();
  private final List<Change> pending = new ArrayList<>();

  /**
   * How long, and how far the model is from the truth.
   *
   * @param periodMillis between two readings of the controller, positive
   * @param periods of the run
   * @param error true time of a batch over the predicted time, less 1, by partition
   */
  public record Settings(double periodMillis, int periods, List<Double> error) {
    public Settings {
      error = List.copyOf(error);
      if (!(periodMillis > 0) || periods < 1) {
        throw new IllegalArgumentException("periodMillis and periods must be positive");
      }
    }
  }

  /**
   * Measurements of a partition, over requests whose batch began in the period.
   *
   * @param inferenceMillis mean time of their batches, without the wait; NaN without a request
   * @param p99Millis 99 of 100 were at most as slow; NaN without a request
   * @param served requests
   * @param failed requests that waited at a process that was replaced
   */
  public record Reading(double inferenceMillis, double p99Millis, int served, int failed) {
    private static Reading of(double inferences, List<Double> latencies, int failed) {
      double[] sorted = latencies.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      int n = sorted.length;
      return new Reading(
          inferences / n,
          n == 0 ? Double.NaN : sorted[(int) Math.ceil(PERCENTILE * n) - 1],
          n,
          failed);
    }
  }

  /**
   * A partition with a scheduled replacement.
   *
   * @param partition its index
   * @param to the new share and batch
   * @param atMillis not before this time
   */
  public record Change(int partition, Partition to, double atMillis) {}

  /** What reads and changes partitions. */
  @FunctionalInterface
  public interface Controller {
    /** Leaves everything as planned. */
    Controller NONE = (_, _, _) -> List.of();

    /**
     * The changes to make after a period.
     *
     * @param nowMillis the end of the period
     * @param gpu with the partitions in force
     * @param readings of the period, by partition
     */
    List<Change> after(double nowMillis, PlannedGpu gpu, List<Reading> readings);
  }

  /**
   * A period of the run.
   *
   * @param endMillis its end
   * @param gpu with the partitions in force
   * @param readings by partition
   */
  public record Period(double endMillis, PlannedGpu gpu, List<Reading> readings) {}

  /** A GPU of a plan of the fleet. */
  public TimedGpu(Fleet fleet, PlannedGpu planned, Settings settings) {
    this.fleet = fleet;
    this.settings = settings;
    device = planned.device();
    partitions = new ArrayList<>(planned.partitions());
    if (settings.error().size() != partitions.size()) {
      throw new IllegalArgumentException(
          "there are "
              + settings.error().size()
              + " errors for "
              + partitions.size()
              + " partitions");
    }
    partitions.forEach(partition -> queues.add(new Queue(turn(partition), duration())));
  }

  private double duration() {
    return settings.periods() * settings.periodMillis();
  }

  private static Turn turn(Partition partition) {
    return partition.turns().getFirst();
  }

  /** Runs all periods. */
  public List<Period> run(Controller controller) {
    List<Period> periods = new ArrayList<>();
    for (int i = 1; i <= settings.periods(); i++) {
      double end = i * settings.periodMillis();
      apply(end - settings.periodMillis());
      PlannedGpu gpu = PlannedGpu.serving(device, partitions);
      GpuEvaluation model = new GpuEvaluation(fleet);
      List<Reading> readings = new ArrayList<>();
      for (int k = 0; k < queues.size(); k++) {
        readings.add(queues.get(k).serve(end, model.times(gpu, k, 0), 1 + settings.error().get(k)));
      }
      periods.add(new Period(end, gpu, readings));
      pending.addAll(controller.after(end, gpu, readings));
    }
    return periods;
  }

  private void apply(double now) {
    for (Change change : List.copyOf(pending)) {
      if (change.atMillis() <= now) {
        partitions.set(change.partition(), change.to());
        queues.get(change.partition()).restart(now);
        pending.remove(change);
      }
    }
  }

  /** The requests of one partition. */
  private static final class Queue {
    private final double[] arrivals;
    private int next;
    private int failed;
    private double free;

    Queue(Turn turn, double millis) {
      double rate = turn.requestsPerSecond();
      int requests = (int) Math.floor(rate * millis / Milliseconds.PER_SECOND);
      arrivals = RequestQueue.arrivals(Arrivals.CONSTANT, rate, requests, 0);
    }

    void restart(double now) {
      while (next < arrivals.length && arrivals[next] < now) {
        next++;
        failed++;
      }
      free = now;
    }

    /** Batches that begin before an instant. */
    Reading serve(double end, BatchTimes times, double factor) {
      List<Double> latencies = new ArrayList<>();
      double inferences = 0;
      while (next < arrivals.length && Math.max(free, arrivals[next]) < end) {
        double start = Math.max(free, arrivals[next]);
        int first = next;
        while (next < arrivals.length
            && next - first < times.largest()
            && arrivals[next] <= start) {
          next++;
        }
        int size = next - first;
        double inference = factor * times.latencyMillis(size);
        double done = start + inference;
        inferences += size * inference;
        for (int i = first; i < next; i++) {
          latencies.add(done - arrivals[i]);
        }
        free = start + factor * times.busyMillis(size);
      }
      int lost = failed;
      failed = 0;
      return Reading.of(inferences, latencies, lost);
    }
  }

  /** The objective of a partition's service, milliseconds. */
  public static double objectiveMillis(Fleet fleet, Partition partition) {
    return fleet.services().stream()
        .filter(service -> service.name().equals(turn(partition).service()))
        .mapToDouble(Service::sloMillis)
        .findFirst()
        .orElseThrow();
  }
}
