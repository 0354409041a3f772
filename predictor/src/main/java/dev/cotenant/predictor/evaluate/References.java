package dev.cotenant.predictor.evaluate;

import dev.cotenant.domain.profile.ProfileRow;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Figures of simple reference models on GPUMemNet, measured once outside this project: a physical
 * model of six parameters, corrected by trees where train and test are alike.
 */
final class References {
  /** Ends the name of a protocol that only these rows took part in. */
  static final String KNOWN_ONLY = "/gpumemnet";

  /** A few rows of other sets leave the comparison meaningful. */
  private static final double LEAST_SHARE = 0.95;

  /** Median error of PyTorch's FakeTensor on the same jobs, as CARMA's table states. */
  private static final double FAKE_TENSOR_ERROR = 0.46;

  private static final Map<String, Double> FIGURES =
      Map.ofEntries(
          Map.entry("utilization random-5fold/clean rmsle", 0.042),
          Map.entry("utilization random-5fold/all rmsle", 0.077),
          Map.entry("utilization utilpred-81/clean rmsle", 0.091),
          Map.entry("utilization utilpred-81/all rmsle", 0.102),
          Map.entry("utilization topology-out/clean rmsle", 0.061),
          Map.entry("utilization mlp-to-cnn/clean rmsle", 0.156),
          Map.entry("utilization mlp-to-cnn/all rmsle", 0.15),
          Map.entry("utilization mlp-to-cnn-10shot/clean rmsle", 0.143),
          Map.entry("utilization cnn-to-mlp/clean rmsle", 0.204),
          Map.entry("utilization cnn-to-mlp/all rmsle", 0.237),
          Map.entry("utilization cnn-to-mlp-10shot/clean rmsle", 0.187),
          Map.entry("memory origin-out/clean median_ape/carma", FAKE_TENSOR_ERROR),
          Map.entry("memory origin-out/all median_ape/carma", FAKE_TENSOR_ERROR),
          Map.entry("memory named-out/clean median_ape", FAKE_TENSOR_ERROR),
          Map.entry("memory named-out/clean median_ape/carma", FAKE_TENSOR_ERROR),
          Map.entry("memory named-out-5known/clean median_ape", FAKE_TENSOR_ERROR),
          Map.entry("memory named-out-5known/clean median_ape/carma", FAKE_TENSOR_ERROR),
          Map.entry("memory random-5fold/clean rmsle/mlp", 0.011),
          Map.entry("memory random-5fold/clean rmsle/cnn", 0.231));

  private final boolean applies;

  private References(boolean applies) {
    this.applies = applies;
  }

  static References none() {
    return new References(false);
  }

  static References forRows(List<ProfileRow> rows) {
    return new References(known(rows).size() >= LEAST_SHARE * rows.size());
  }

  /** The rows that references were measured on. */
  static List<ProfileRow> known(List<ProfileRow> rows) {
    return rows.stream().filter(References::isKnown).toList();
  }

  static boolean isKnown(ProfileRow row) {
    return row.source().startsWith("gpumemnet:");
  }

  @Nullable Double find(String task, String protocol, String metric) {
    String name = protocol.replace(KNOWN_ONLY, "");
    return applies ? FIGURES.get(task + " " + name + " " + metric) : null;
  }
}
