package dev.cotenant.engine.profile;

import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.workload.RunSettings;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Measured runs of a cluster that are the most like a predicted one: what trainings learn from.
 *
 * <p>The distance is that of the logarithms of what decides utilization and memory: work of a step,
 * parameters, activations, batch and layers. 0 is the same network at the same batch, 0.7 twice the
 * work.
 */
public final class NearestRuns {
  private NearestRuns() {}

  /** A run and how far it is. */
  public record Neighbour(StoredProfile run, double distance) {}

  /**
   * At most {@code most} runs of the same mode and precision, the nearest first, newer ones first
   * at equal distance.
   */
  public static List<Neighbour> of(
      Stream<StoredProfile> runs, ModelFeatures features, RunSettings settings, int most) {
    return runs.filter(stored -> isAlike(stored.row(), settings))
        .map(stored -> new Neighbour(stored, distance(features, stored.row().features())))
        .sorted(
            Comparator.comparingDouble(Neighbour::distance)
                .thenComparing(one -> one.run().number(), Comparator.reverseOrder()))
        .limit(most)
        .toList();
  }

  private static boolean isAlike(ProfileRow row, RunSettings settings) {
    return row.settings().mode() == settings.mode()
        && row.settings().precision() == settings.precision();
  }

  static double distance(ModelFeatures one, ModelFeatures other) {
    double[] first = logarithms(one);
    double[] second = logarithms(other);
    double sum = 0;
    for (int i = 0; i < first.length; i++) {
      sum += (first[i] - second[i]) * (first[i] - second[i]);
    }
    return Math.sqrt(sum);
  }

  private static double[] logarithms(ModelFeatures features) {
    return new double[] {
      Math.log1p((double) features.multiplyAccumulates()),
      Math.log1p((double) features.parameters()),
      Math.log1p((double) features.activations().bytes()),
      Math.log(features.batchSize()),
      Math.log1p(features.layers().total())
    };
  }
}
