package dev.cotenant.engine.risk;

import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.Sharing;
import dev.cotenant.interference.risk.SpeedEstimate;
import dev.cotenant.interference.risk.SpeedMeasurement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The risk models of all namespaces, made anew of the stored speeds of those that changed. While
 * the store is down the last models stay. Safe for use by several threads.
 */
public final class SpeedMemory implements RiskModels {
  /** Of the logarithm of a speed measured for some minutes. */
  private static final double NOISE = 0.03;

  /** One in five speeds alone is off by 8 % or more; what rests on one would be off with it. */
  private static final int LEAST_ALONE = 2;

  /** A measurement that is farther from what was believed counts as one at this distance. */
  private static final double MOST_DEVIATIONS = 3;

  /** Pairs whose risk is found before the first decision needs it. */
  private static final int MOST_AHEAD = 10_000;

  private final SpeedStore store;
  private volatile Map<String, Known> known = Map.of();

  private record Known(long newest, RiskModel model) {}

  private record Configuration(String device, String configuration) {
    static Configuration of(MeasuredSpeed row) {
      return new Configuration(row.device(), row.job().configuration());
    }
  }

  /** Knows nothing yet. */
  public SpeedMemory(SpeedStore store) {
    this.store = store;
  }

  @Override
  public RiskModel of(String namespace) {
    Known found = known.get(namespace);
    return found == null ? UNTRAINED.of(namespace) : found.model;
  }

  @Override
  public Object state() {
    return known;
  }

  /**
   * Takes in what is new in the store.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when the store cannot be reached
   */
  public synchronized void refresh() {
    Map<String, Known> models = new HashMap<>(known);
    store
        .newest()
        .forEach((namespace, newest) -> {
          Known before = models.get(namespace);
          if (before == null || before.newest != newest) {
            models.put(namespace, new Known(newest, learned(store.of(namespace))));
          }
        });
    if (!models.equals(known)) {
      known = models;
    }
  }

  /** The model of these measurements, in their order. */
  static RiskModel learned(List<MeasuredSpeed> rows) {
    Map<Configuration, List<Double>> alone = new HashMap<>();
    for (MeasuredSpeed row : rows) {
      if (row.isAlone()) {
        alone.computeIfAbsent(Configuration.of(row), _ -> new ArrayList<>()).add(row.speed());
      }
    }
    RiskModel model = new RiskModel(RiskPrior.STATED);
    for (MeasuredSpeed row : rows) {
      List<Double> speeds = alone.getOrDefault(Configuration.of(row), List.of());
      if (!row.isAlone() && speeds.size() >= LEAST_ALONE) {
        double noise = NOISE * Math.sqrt(1 + 1.0 / speeds.size());
        Sharing sharing = new Sharing(row.device(), row.job(), row.neighbours());
        double speed = shrunk(model.estimate(sharing), row.speed() / median(speeds), noise);
        model.learn(new SpeedMeasurement(sharing, speed, noise));
      }
    }
    findAhead(model, rows);
    return model;
  }

  /** Of the pairs of those measured last; the model remembers them. */
  private static void findAhead(RiskModel model, List<MeasuredSpeed> rows) {
    Map<String, Set<SharedJob>> jobs = new LinkedHashMap<>();
    for (MeasuredSpeed row : rows.reversed()) {
      Set<SharedJob> seen = jobs.computeIfAbsent(row.device(), _ -> new LinkedHashSet<>());
      seen.add(row.job());
      seen.addAll(row.neighbours());
    }
    int found = 0;
    for (Map.Entry<String, Set<SharedJob>> of : jobs.entrySet()) {
      for (SharedJob victim : of.getValue()) {
        for (SharedJob aggressor : of.getValue()) {
          if (found++ == MOST_AHEAD) {
            return;
          }
          model.estimate(new Sharing(of.getKey(), victim, List.of(aggressor)));
        }
      }
    }
  }

  private static double shrunk(SpeedEstimate believed, double speed, double noise) {
    double most = MOST_DEVIATIONS * Math.hypot(believed.deviation(), noise);
    return StrictMath.exp(
        Math.clamp(StrictMath.log(speed), believed.mean() - most, believed.mean() + most));
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
