package dev.cotenant.lab.requests;

import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.simulator.event.Draws;
import java.util.HashMap;
import java.util.Map;

/**
 * iGniter's model of means as the truth, with an error of its own for each service: log-normal, the
 * same throughout a run.
 */
public final class ModelDurations implements BatchDurations {
  private final GpuEvaluation evaluation;
  private final double deviation;
  private final long seed;
  private final Map<String, Double> errors = new HashMap<>();

  /**
   * @param fleet with the profiles of services and devices
   * @param deviation of the logarithm of a service's error
   * @param seed of the errors
   */
  public ModelDurations(Fleet fleet, double deviation, long seed) {
    evaluation = new GpuEvaluation(fleet);
    this.deviation = deviation;
    this.seed = seed;
  }

  @Override
  public BatchTimes times(PlannedGpu gpu, int[] running, int partition) {
    BatchTimes predicted = evaluation.times(gpu, running, partition);
    String service = gpu.partitions().get(partition).turns().get(running[partition]).service();
    double error = errors.computeIfAbsent(service, this::draw);
    BatchTimes times = new BatchTimes(predicted.largest());
    for (int k = 1; k <= times.largest(); k++) {
      times.set(k, error * predicted.latencyMillis(k), error * predicted.busyMillis(k));
    }
    return times;
  }

  private double draw(String service) {
    Draws draws = new Draws(seed ^ (long) service.hashCode() << Integer.SIZE);
    return draws.logNormal(1, deviation);
  }
}
