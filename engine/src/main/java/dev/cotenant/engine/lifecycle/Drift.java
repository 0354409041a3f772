package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.correct.CorrectedTarget;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** Drift of measured utilization from predictions, by device, over the newest runs. Thread safe. */
public final class Drift {
  private static final int MAX_RUNS = 200;

  private final TreeMap<DeviceId, Deque<Miss>> byDevice = new TreeMap<>();

  /** One run: the logarithm of measured over predicted, and whether the upper bound was passed. */
  public record Miss(double log, boolean aboveUpper) {}

  /** A measured run compared with its prediction; empty without measured utilization. */
  public static Optional<Miss> miss(Prediction prediction, ProfileRow measured) {
    OptionalDouble value = CorrectedTarget.UTILIZATION.measured(measured);
    if (value.isEmpty()) {
      return Optional.empty();
    }
    CorrectedTarget.LogBounds bounds = CorrectedTarget.UTILIZATION.predicted(prediction);
    return Optional.of(
        new Miss(value.getAsDouble() - bounds.mean(), value.getAsDouble() > bounds.upper()));
  }

  /** Takes a run in. */
  public synchronized void add(DeviceId device, Miss miss) {
    Deque<Miss> misses = byDevice.computeIfAbsent(device, _ -> new ArrayDeque<>());
    if (misses.size() == MAX_RUNS) {
      misses.removeFirst();
    }
    misses.addLast(miss);
  }

  /**
   * Mean logarithm of measured over predicted, both plus one percentage point; 0.1 is about 10 %
   * more than predicted. NaN where nothing is known.
   */
  public synchronized double bias(DeviceId device) {
    Deque<Miss> misses = byDevice.get(device);
    return misses == null
        ? Double.NaN
        : misses.stream().mapToDouble(Miss::log).average().orElse(Double.NaN);
  }

  /** Share of runs above their upper bound, 0 to 1; NaN where nothing is known. */
  public synchronized double aboveUpper(DeviceId device) {
    Deque<Miss> misses = byDevice.get(device);
    return misses == null
        ? Double.NaN
        : (double) misses.stream().filter(Miss::aboveUpper).count() / misses.size();
  }
}
