package dev.cotenant.lab.requests;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.List;

/**
 * What became of the requests of a run.
 *
 * @param streams in the order of the run
 * @param batches by service, in the order of names
 * @param periods of the policy, in order of time
 * @param reorganisations how often partitions were changed
 * @param seconds of the run
 */
public record ServingTotals(
    List<Stream> streams,
    List<Batches> batches,
    List<Period> periods,
    int reorganisations,
    double seconds) {
  public ServingTotals {
    streams = List.copyOf(streams);
    batches = List.copyOf(batches);
    periods = List.copyOf(periods);
  }

  /**
   * Requests by outcome; the rest is in flight.
   *
   * @param arrived all
   * @param inTime served within the objective
   * @param late served after it
   * @param dropped not served
   */
  public record Counts(long arrived, long inTime, long late, long dropped) {
    /** Late and dropped of all arrivals, 0 to 1; 0 without arrivals. */
    public double violationShare() {
      return arrived == 0 ? 0 : (double) (late + dropped) / arrived;
    }

    Counts plus(Counts other) {
      return new Counts(
          arrived + other.arrived,
          inTime + other.inTime,
          late + other.late,
          dropped + other.dropped);
    }

    Counts minus(Counts other) {
      return new Counts(
          arrived - other.arrived,
          inTime - other.inTime,
          late - other.late,
          dropped - other.dropped);
    }
  }

  /**
   * One stream.
   *
   * @param name of the stream
   * @param counts by outcome
   * @param meanMillis of served requests, arrival to result
   * @param meanInFlight requests that wait or run, averaged over time
   */
  public record Stream(String name, Counts counts, double meanMillis, double meanInFlight) {}

  /**
   * Batches of one service.
   *
   * @param service its name
   * @param meanPlanned the mean of the planned sizes
   * @param meanSize the mean of the sizes
   * @param meanWaitMillis mean time of a request from its arrival to the start of its batch
   * @param meanLatencyMillis mean time of a request from the start of its batch to the result
   */
  public record Batches(
      String service,
      double meanPlanned,
      double meanSize,
      double meanWaitMillis,
      double meanLatencyMillis) {}

  /**
   * One period of the policy.
   *
   * @param start seconds
   * @param counts of outcomes in this period; arrivals of one period may end in the next
   * @param plan that serves at its end
   */
  public record Period(double start, Counts counts, FleetPlan plan) {
    /** Σ of the shares in use, 100 for a GPU. */
    public double sharePercent() {
      return plan.sharePercent();
    }
  }

  /** All streams together. */
  public Counts all() {
    return streams.stream().map(Stream::counts).reduce(new Counts(0, 0, 0, 0), Counts::plus);
  }

  /** Requests in time a second. */
  public double inTimePerSecond() {
    return all().inTime() / seconds;
  }

  /** Σ of shares in use, averaged over periods; 100 for a GPU. */
  public double meanSharePercent() {
    return periods.stream().mapToDouble(Period::sharePercent).average().orElse(0);
  }

  /**
   * Partitions that were started after the beginning: those of a plan that its predecessor has not,
   * by device, share and services.
   */
  public int moves() {
    int moves = 0;
    for (int i = 1; i < periods.size(); i++) {
      List<Started> before = new ArrayList<>(processes(periods.get(i - 1).plan()));
      for (Started started : processes(periods.get(i).plan())) {
        moves += before.remove(started) ? 0 : 1;
      }
    }
    return moves;
  }

  /** What a partition is, but for its GPU of a kind. */
  private record Started(String device, Share share, List<String> services) {}

  private static List<Started> processes(FleetPlan plan) {
    return plan.gpus().stream()
        .flatMap(gpu ->
            gpu.partitions().stream()
                .map(part ->
                    new Started(
                        gpu.device(),
                        part.share(),
                        part.turns().stream().map(Turn::service).toList())))
        .toList();
  }

  /** GPUs in use, averaged over periods. */
  public double meanGpus() {
    return periods.stream().mapToDouble(period -> period.plan().gpus().size()).average().orElse(0);
  }
}
