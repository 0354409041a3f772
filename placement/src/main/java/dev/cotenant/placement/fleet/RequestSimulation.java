package dev.cotenant.placement.fleet;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Rounding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Request-by-request simulation of a plan: every partition starts a batch of all waiting requests,
 * up to its limit, whenever it is free.
 */
public final class RequestSimulation {
  /*
   * Neighbours count at their planned batches, always busy, so that partitions are independent of
   * each other and a GPU is as many queues as it has partitions. A batch of k takes t_inf(k) of
   * iGniter's model; the upload overlaps with the batch before, so that the next one starts after
   * t_gpu(k) + t_feedback(k) [iGniter, section 3.1]. Turns of a partition go round, one batch each.
   * Arrivals of a service at several places are independent streams, as a random split of a Poisson
   * stream is. Each stream's seed comes from the run's seed, the service's name and the number of
   * its turn, mixed so that streams are not shifts of each other; a service meets the same arrivals
   * wherever it is placed.
   */
  private static final double PERCENTILE = 0.99;

  private final Fleet fleet;
  private final Settings settings;
  private final GpuEvaluation evaluation;
  private final Map<String, Double> rates = new TreeMap<>();

  /**
   * How long and with what arrivals.
   *
   * @param arrivals how requests come
   * @param requestsPerService requests per service over all its partitions, at least 1
   * @param seed of the arrivals
   */
  public record Settings(Arrivals arrivals, int requestsPerService, long seed) {
    private static final int REQUESTS = 60_000;

    public Settings {
      if (requestsPerService < 1) {
        throw InputException.invalidArgument(
            "requests-out-of-range",
            "Simulate at least 1 request of each workload, not " + requestsPerService + ".");
      }
    }

    /** 60,000 requests of each service: enough for one late in a hundred to tell. */
    public static Settings of(Arrivals arrivals, long seed) {
      return new Settings(arrivals, REQUESTS, seed);
    }
  }

  /**
   * What a service's requests got.
   *
   * @param service its name
   * @param p99Millis 99 of 100 were at most as slow; infinite where the model gives no figure
   * @param lateShare of requests beyond the objective, 0 to 1
   */
  public record Outcome(String service, double p99Millis, double lateShare) {
    /** Whether 99 of 100 requests met an objective. */
    public boolean keeps(double sloMillis) {
      return p99Millis <= sloMillis * (1 + Rounding.SLACK);
    }
  }

  /** For plans of this fleet. */
  public RequestSimulation(Fleet fleet, Settings settings) {
    this.fleet = fleet;
    this.settings = settings;
    evaluation = new GpuEvaluation(fleet);
    fleet.services().forEach(each -> rates.put(each.name(), each.requestsPerSecond()));
  }

  /** One outcome for each service that the plan places, by name. */
  public List<Outcome> of(FleetPlan plan) {
    Map<String, List<double[]>> latencies = latencies(plan);
    List<Outcome> outcomes = new ArrayList<>();
    for (Service service : fleet.services()) {
      List<double[]> own = latencies.get(service.name());
      if (own != null) {
        outcomes.add(outcome(service, own));
      }
    }
    outcomes.sort(Comparator.comparing(Outcome::service));
    return outcomes;
  }

  /** How many services keep their objective: 99 of 100 requests within it; unplaced ones do not. */
  public int met(FleetPlan plan) {
    return fleet.services().size() - late(plan).size() - unplaced(plan);
  }

  private int unplaced(FleetPlan plan) {
    Set<String> placed = new HashSet<>();
    plan.gpus()
        .forEach(gpu ->
            gpu.partitions()
                .forEach(
                    partition -> partition.turns().forEach(turn -> placed.add(turn.service()))));
    return (int)
        fleet.services().stream().filter(service -> !placed.contains(service.name())).count();
  }

  /** Services that are placed and do not keep their objective, by name. */
  public Set<String> late(FleetPlan plan) {
    Map<String, List<double[]>> latencies = latencies(plan);
    Set<String> late = new TreeSet<>();
    for (Service service : fleet.services()) {
      List<double[]> own = latencies.getOrDefault(service.name(), List.of());
      int requests = own.stream().mapToInt(part -> part.length).sum();
      int allowed = requests - (int) Math.ceil(PERCENTILE * requests);
      if (countLate(service, own) > allowed) {
        late.add(service.name());
      }
    }
    return late;
  }

  private static int countLate(Service service, List<double[]> parts) {
    double limit = service.sloMillis() * (1 + Rounding.SLACK);
    int late = 0;
    for (double[] part : parts) {
      for (double latency : part) {
        late += latency <= limit ? 0 : 1;
      }
    }
    return late;
  }

  private Map<String, List<double[]>> latencies(FleetPlan plan) {
    Map<String, List<double[]>> latencies = new TreeMap<>();
    for (PlannedGpu gpu : plan.gpus()) {
      for (int i = 0; i < gpu.partitions().size(); i++) {
        serve(gpu, i, latencies);
      }
    }
    return latencies;
  }

  private void serve(PlannedGpu gpu, int partition, Map<String, List<double[]>> latencies) {
    List<Turn> turns = gpu.partitions().get(partition).turns();
    double[][] arrivals = new double[turns.size()][];
    BatchTimes[] times = new BatchTimes[turns.size()];
    List<List<double[]>> all = new ArrayList<>();
    int[] numbers = new int[turns.size()];
    for (int k = 0; k < arrivals.length; k++) {
      all.add(latencies.computeIfAbsent(turns.get(k).service(), name -> new ArrayList<>()));
      numbers[k] = all.getLast().size();
      arrivals[k] = arrivals(turns.get(k), numbers[k]);
      times[k] = evaluation.times(gpu, partition, k);
      all.getLast().add(arrivals[k]);
    }
    double[][] served = RequestQueue.latenciesMillis(arrivals, times);
    for (int k = 0; k < served.length; k++) {
      all.get(k).set(numbers[k], served[k]);
    }
  }

  private double[] arrivals(Turn turn, int number) {
    double rate = turn.requestsPerSecond();
    double whole = rates.getOrDefault(turn.service(), rate);
    int requests = (int) Math.max(1, Math.round(settings.requestsPerService() * rate / whole));
    long stream = ((long) turn.service().hashCode() << Integer.SIZE) + number;
    long seed = new SplittableRandom(settings.seed() ^ stream).nextLong();
    return RequestQueue.arrivals(settings.arrivals(), rate, requests, seed);
  }

  private static Outcome outcome(Service service, List<double[]> parts) {
    double[] all = parts.stream().flatMapToDouble(Arrays::stream).toArray();
    int late = countLate(service, parts);
    Arrays.sort(all);
    double p99 = all[(int) Math.ceil(PERCENTILE * all.length) - 1];
    return new Outcome(service.name(), p99, (double) late / all.length);
  }
}
