package dev.cotenant.serving;

import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.serving.BulkQueue;
import dev.cotenant.serving.deployment.FleetTarget;
import dev.cotenant.serving.deployment.FleetTarget.Gpu;
import dev.cotenant.serving.deployment.FleetTarget.Replica;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * iGniter's guard against prediction errors [iGniter, sections 4.2 and 5.3]: a workload whose
 * latency is beyond its objective, though predicted within it, gets min(10 %, what its GPU has
 * left) more at once, and its times count as longer from then on.
 */
final class Guard {
  /*
   * The correction is the factor on the times of a batch with which the queue of its partition has
   * the measured 99th percentile at the observed rate. The paper states the share alone. Beyond
   * MAX something else is slow, and no share of a GPU would help.
   */
  private static final int MAX_EXTRA_PERMILLE = 100;
  private static final double MAX = 2;
  private static final double STEP = 0.01;

  private final GpuEvaluation evaluation;

  /** With the uncorrected profiles of a fleet. */
  Guard(Fleet fleet) {
    evaluation = new GpuEvaluation(fleet);
  }

  /** The target with more for each partition of a service, where its GPU has some left. */
  static FleetTarget extended(FleetTarget target, String service) {
    Map<String, Replica> changed = new HashMap<>();
    for (Gpu gpu : target.gpus().values()) {
      int left = Share.WHOLE.permille();
      for (Replica replica : gpu.replicas()) {
        left -= replica.share().permille();
      }
      for (Replica replica : gpu.replicas()) {
        int extra = Math.min(MAX_EXTRA_PERMILLE, left);
        if (replica.service().equals(service) && extra > 0) {
          changed.put(replica.id(), replica.with(new Share(replica.share().permille() + extra)));
          left -= extra;
        }
      }
    }
    return target.with(changed);
  }

  /**
   * By which factor its times are longer than predicted, rounded up to hundredths; 1 where the
   * prediction explains what was measured.
   *
   * @param perSecond its observed rate, over all its partitions
   * @param p99Millis measured
   */
  double correction(FleetTarget target, Service service, double perSecond, double p99Millis) {
    double planned = 0;
    for (FleetTarget.Placed placed : target.replicas().values()) {
      Replica replica = placed.replica();
      planned += replica.service().equals(service.name()) ? replica.requestsPerSecond() : 0;
    }
    double factor = 1;
    for (Gpu gpu : target.gpus().values()) {
      List<Replica> replicas = gpu.replicas();
      for (int i = 0; i < replicas.size(); i++) {
        if (replicas.get(i).service().equals(service.name())) {
          double own = perSecond * replicas.get(i).requestsPerSecond() / planned;
          BatchTimes times = evaluation.times(gpu.planned(), i, 0);
          factor = Math.max(factor, factor(times, own, p99Millis));
        }
      }
    }
    return factor;
  }

  private static double factor(BatchTimes times, double perSecond, double p99Millis) {
    if (!(perSecond > 0) || !(times.latencyMillis(1) < Double.POSITIVE_INFINITY)) {
      return 1;
    }
    int least = 0;
    int most = (int) Math.round((MAX - 1) / STEP);
    while (least < most) {
      int middle = (least + most) / 2;
      BatchTimes scaled = BulkQueue.scaled(times, 1 + middle * STEP);
      if (new BulkQueue(scaled, perSecond).p99Millis() >= p99Millis * (1 - Rounding.SLACK)) {
        most = middle;
      } else {
        least = middle + 1;
      }
    }
    return 1 + least * STEP;
  }
}
