package dev.cotenant.lab.pairs;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.interference.SummedUtilizationCurve;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.SpeedModel;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Measured pairs as the truth of a simulated cluster. Where utilization and memory were not
 * measured alone, those that the shipped predictor expects stand in.
 */
public final class PairWorld implements SpeedModel {
  private final MeasuredPairs pairs;
  private final List<Configuration> configurations;
  private final Map<String, Map<String, Double>> speeds = new TreeMap<>();
  private final SummedUtilizationCurve curve = new SummedUtilizationCurve();

  /**
   * A job.
   *
   * @param name of its model, batch and precision
   * @param utilizationPercent share of time with a kernel running
   * @param memory peak of device memory
   * @param isMeasured whether utilization and memory were measured alone, else predicted
   * @param shipped what the shipped predictor says on the pairs' device; empty without a graph
   */
  public record Configuration(
      String name,
      double utilizationPercent,
      MemorySize memory,
      boolean isMeasured,
      Map<DeviceId, Prediction> shipped) {
    /** The first word of the name. */
    public String model() {
      return name.split(" ", 2)[0];
    }

    /** Load of the job on a GPU. */
    public Phase.Load load() {
      return new Phase.Load(name, utilizationPercent);
    }
  }

  public PairWorld(MeasuredPairs pairs) {
    this.pairs = pairs;
    configurations =
        pairs.jobs().stream()
            .filter(job -> job.expectedUtilizationPercent().isPresent())
            .map(this::configuration)
            .toList();
    pairs
        .speeds()
        .forEach((pair, speed) ->
            speeds.computeIfAbsent(pair.own(), _ -> new TreeMap<>()).put(pair.other(), speed));
  }

  private Configuration configuration(ReplayedJob job) {
    Prediction predicted = job.predicted();
    return new Configuration(
        job.name(),
        job.expectedUtilizationPercent().orElseThrow(),
        job.expectedMemory(),
        job.utilization() != null && job.memory() != null,
        predicted == null ? Map.of() : Map.of(pairs.device().id(), predicted));
  }

  /** The measured GPU. */
  public Device device() {
    return pairs.device();
  }

  /** In the order of names; utilization and memory are predicted where they were not measured. */
  public List<Configuration> configurations() {
    return configurations;
  }

  /** Whether the two were measured together. */
  public boolean wereMeasured(String own, String other) {
    return speeds.getOrDefault(own, Map.of()).containsKey(other)
        && speeds.getOrDefault(other, Map.of()).containsKey(own);
  }

  /** Speed of a job beside another over its speed alone; they {@link #wereMeasured} together. */
  public double measured(String own, String other) {
    return Objects.requireNonNull(speeds.getOrDefault(own, Map.of()).get(other));
  }

  /**
   * The measured speed beside one neighbour; beside several the product of those beside each, a
   * model that no measurement supports. Where a pair was not measured, the mean over the sum of
   * utilizations stands in.
   */
  @Override
  public double speed(Phase.Load own, List<Phase.Load> others, DeviceId device) {
    double speed = 1;
    Map<String, Double> measured = speeds.getOrDefault(own.kind(), Map.of());
    for (Phase.Load other : others) {
      Double beside = measured.get(other.kind());
      speed *= beside == null ? estimated(own, other) : beside;
    }
    return speed;
  }

  private double estimated(Phase.Load own, Phase.Load other) {
    double sum = own.utilizationPercent() + other.utilizationPercent();
    return 1 / curve.slowdown(SummedUtilization.ofPercent(sum)).ratio();
  }
}
