package dev.cotenant.predictor.evaluate;

import dev.cotenant.domain.profile.ProfileRow;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Figures of simple reference models on GPUMemNet, measured once outside this project: a random
 * forest on the table's columns where train and test are alike, a physical model of six parameters
 * across families.
 */
final class References {
  /** A few rows of other sets leave the comparison meaningful. */
  private static final double LEAST_SHARE = 0.95;

  private static final Map<String, Double> FIGURES =
      Map.of(
          "utilization random-5fold/clean rmsle", 0.061,
          "utilization random-5fold/all rmsle", 0.143,
          "utilization topology-out/clean rmsle", 0.072,
          "utilization mlp-to-cnn/clean rmsle", 0.156,
          "utilization mlp-to-cnn/all rmsle", 0.150,
          "utilization cnn-to-mlp/clean rmsle", 0.204,
          "utilization cnn-to-mlp/all rmsle", 0.237,
          "memory random-5fold/clean rmsle/mlp", 0.011,
          "memory random-5fold/clean rmsle/cnn", 0.231);

  private final boolean applies;

  private References(boolean applies) {
    this.applies = applies;
  }

  static References none() {
    return new References(false);
  }

  static References forRows(List<ProfileRow> rows) {
    long known = rows.stream().filter(row -> row.source().startsWith("gpumemnet:")).count();
    return new References(known >= LEAST_SHARE * rows.size());
  }

  @Nullable Double find(String task, String protocol, String metric) {
    return applies ? FIGURES.get(task + " " + protocol + " " + metric) : null;
  }
}
