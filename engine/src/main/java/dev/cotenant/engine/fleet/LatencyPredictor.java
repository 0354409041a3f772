package dev.cotenant.engine.fleet;

import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.serving.BulkQueue;
import dev.cotenant.serving.deployment.FleetTarget;
import dev.cotenant.serving.deployment.FleetTarget.Gpu;
import dev.cotenant.serving.deployment.FleetTarget.Replica;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * What 99 of 100 requests of a service take at most with the target, at the rate that was observed:
 * the queue of {@link BulkQueue} on iGniter's times beside the neighbours.
 */
final class LatencyPredictor {
  private final GpuEvaluation evaluation;

  LatencyPredictor(Fleet fleet) {
    evaluation = new GpuEvaluation(fleet);
  }

  /** Of a service that has partitions and requests; the slowest partition counts. */
  OptionalDouble p99Millis(FleetTarget target, String service, double perSecond) {
    double planned =
        target.replicas().values().stream()
            .filter(placed -> placed.replica().service().equals(service))
            .mapToDouble(placed -> placed.replica().requestsPerSecond())
            .sum();
    OptionalDouble worst = OptionalDouble.empty();
    for (Gpu gpu : target.gpus().values()) {
      List<Replica> replicas = gpu.replicas();
      for (int i = 0; i < replicas.size(); i++) {
        if (replicas.get(i).service().equals(service) && perSecond > 0) {
          double own = perSecond * replicas.get(i).requestsPerSecond() / planned;
          double p99 = p99(evaluation.times(gpu.planned(), i, 0), own);
          worst = OptionalDouble.of(Math.max(p99, worst.orElse(0)));
        }
      }
    }
    return worst;
  }

  private static double p99(BatchTimes times, double perSecond) {
    boolean isKnown = times.latencyMillis(times.largest()) < Double.POSITIVE_INFINITY;
    return isKnown ? new BulkQueue(times, perSecond).p99Millis() : Double.POSITIVE_INFINITY;
  }

  /** Of all services at these rates. */
  Map<String, Double> p99Millis(FleetTarget target, Map<String, Double> perSecond) {
    Map<String, Double> all = new HashMap<>();
    perSecond.forEach((service, rate) ->
        p99Millis(target, service, rate).ifPresent(p99 -> all.put(service, p99)));
    return all;
  }
}
