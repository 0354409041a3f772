package dev.cotenant.lab.gpulets;

import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.lab.requests.BatchDurations;
import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.glet.Size;
import dev.cotenant.placement.glet.Tenant;
import dev.cotenant.simulator.event.Draws;
import java.util.Map;
import java.util.Objects;

/**
 * What batches in gpu-lets really take: their times alone, stretched by gpu-lets' interference
 * factor beside a neighbour that runs, and by the error of that factor.
 */
final class GletDurations implements BatchDurations {
  /*
   * The error is log-normal and belongs to two models and the size of the one that is slowed, since
   * interference that the factor does not see comes back whenever the two meet. 90 % of the authors' cases are within
   * 10.26 %, 95 % within 13.98 % [gpu-lets, figure 9]: deviations of 6.2 and 7.1 % of a normal
   * distribution.
   */
  static final double DEVIATION = 0.065;

  private static final UtilizationFactor FACTOR = UtilizationFactor.RTX_2080_TI;

  private final Map<String, Tenant> tenants;
  private final double deviation;
  private final long seed;

  /**
   * @param tenants by service
   * @param deviation of the logarithm of the factor's error
   * @param seed of the errors
   */
  GletDurations(Map<String, Tenant> tenants, double deviation, long seed) {
    this.tenants = Map.copyOf(tenants);
    this.deviation = deviation;
    this.seed = seed;
  }

  /** A turn and the size of its gpu-let. */
  private record Placed(Turn turn, Size size) {
    static Placed of(Partition partition, int turn) {
      return new Placed(partition.turns().get(turn), Size.of(partition.share()));
    }
  }

  @Override
  public BatchTimes times(PlannedGpu gpu, int[] running, int partition) {
    Placed own = Placed.of(gpu.partitions().get(partition), running[partition]);
    Tenant tenant = tenant(own);
    BatchTimes times = new BatchTimes(own.turn().batch());
    for (int k = 1; k <= times.largest(); k++) {
      double factor = 1;
      for (int i = 0; i < running.length; i++) {
        if (i != partition && running[i] != IDLE) {
          Placed other = Placed.of(gpu.partitions().get(i), running[i]);
          factor = Math.max(factor, factor(own, k, other));
        }
      }
      times.set(
          k,
          factor * tenant.latencyMillis(k, own.size()),
          factor * tenant.busyMillis(k, own.size()));
    }
    return times;
  }

  private Tenant tenant(Placed placed) {
    return Objects.requireNonNull(tenants.get(placed.turn().service()), placed.turn().service());
  }

  private double factor(Placed own, int batch, Placed other) {
    double predicted =
        FACTOR.of(
            tenant(own).usage(batch, own.size()),
            tenant(other).usage(other.turn().batch(), other.size()));
    return Math.max(1, predicted * error(own, other));
  }

  private double error(Placed own, Placed other) {
    long pair =
        31L * own.turn().service().hashCode()
            + other.turn().service().hashCode()
            + 1_000_003L * Math.round(own.size().percent());
    return new Draws(seed ^ pair << Integer.SIZE ^ pair).logNormal(1, deviation);
  }
}
