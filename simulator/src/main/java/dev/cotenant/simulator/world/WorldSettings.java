package dev.cotenant.simulator.world;

import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;

/**
 * A cluster and the truth about it.
 *
 * @param machines nodes with GPUs
 * @param speeds the pace of work, out of reach of policies
 * @param mayShare whether jobs of two configurations may be on one GPU at all, such as that the
 *     pair was measured; symmetric, known to policies
 * @param speedNoise standard deviation of the logarithm of measured speeds
 * @param history samples of used memory that a monitor stores
 * @param seed of measurement noise
 */
public record WorldSettings(
    List<Machine> machines,
    TrueSpeeds speeds,
    BiPredicate<String, String> mayShare,
    double speedNoise,
    History history,
    long seed) {
  /** A job beside which any job of the GPU is slowed by more counts as harmed. */
  public static final double HARM_RATIO = 1.15;

  public WorldSettings {
    machines = List.copyOf(machines);
    if (machines.isEmpty()) {
      throw new IllegalArgumentException("a cluster has at least one machine");
    }
    if (!(speedNoise >= 0 && speedNoise < 1)) {
      throw new IllegalArgumentException("speedNoise must be in [0, 1), is " + speedNoise);
    }
  }

  /** The pace of a job beside others, at the clock that the GPU's power leaves. */
  double speed(GpuKind kind, Phase.Load own, List<Phase.Load> others) {
    double sum = own.utilizationPercent();
    for (Phase.Load other : others) {
      sum += other.utilizationPercent();
    }
    double speed =
        speeds.model().speed(own, others, kind.device().id()) * kind.power().frequencyRatio(sum);
    if (!(speed > 0 && speed < Double.POSITIVE_INFINITY)) {
      throw new IllegalStateException("speed must be positive and finite, is " + speed);
    }
    return speed;
  }

  /**
   * GPUs of one product on a node.
   *
   * @param node its name
   * @param kind the product
   * @param gpus how many, at least 1
   */
  public record Machine(String node, GpuKind kind, int gpus) {
    public Machine {
      if (gpus < 1) {
        throw new IllegalArgumentException("gpus of " + node + " must be at least 1, is " + gpus);
      }
    }
  }

  /**
   * Samples of used memory that a monitor stores.
   *
   * @param step between two samples
   * @param samples the newest, at most so many; 0 stores none
   */
  public record History(Duration step, int samples) {
    public static final History NONE = new History(Duration.ofSeconds(1), 0);

    public History {
      if (!step.isPositive() || samples < 0) {
        throw new IllegalArgumentException("step must be positive and samples at least 0");
      }
    }
  }

  /** Any two may share, measurements have no noise, no history. */
  public static WorldSettings of(List<Machine> machines, SpeedModel speeds) {
    return new WorldSettings(machines, new TrueSpeeds(speeds), (_, _) -> true, 0, History.NONE, 0);
  }

  /** Copy with a different constraint on pairs. */
  public WorldSettings withMayShare(BiPredicate<String, String> other) {
    return new WorldSettings(machines, speeds, other, speedNoise, history, seed);
  }

  /** The same with noise on measured speeds. */
  public WorldSettings withSpeedNoise(double deviation, long ofSeed) {
    return new WorldSettings(machines, speeds, mayShare, deviation, history, ofSeed);
  }

  /** The same with another history. */
  public WorldSettings withHistory(History other) {
    return new WorldSettings(machines, speeds, mayShare, speedNoise, other, seed);
  }
}
