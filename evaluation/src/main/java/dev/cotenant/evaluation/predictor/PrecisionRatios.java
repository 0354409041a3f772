package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Precision;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Peak memory of runs in mixed precision over that of the same runs in fp32, measured and
 * predicted.
 */
final class PrecisionRatios {
  /** Properties shared by both runs of a pair. */
  private record Pair(String topology, int batchSize, DeviceId device) {}

  /** Bytes of one run. */
  private record Peak(double measured, double predicted) {}

  private final Map<Pair, Peak> full = new HashMap<>();
  private final Map<Pair, Peak> mixed = new HashMap<>();

  /** Adds a run; other precisions than fp32 and mixed ones are skipped. */
  void add(ProfileRow row, MemorySize measured, MemorySize predicted) {
    Precision precision = row.settings().precision();
    if (precision == Precision.FP32 || precision.isMixed()) {
      (precision.isMixed() ? mixed : full)
          .put(
              new Pair(row.topology(), row.features().batchSize(), row.device()),
              new Peak(measured.bytes(), predicted.bytes()));
    }
  }

  /** The relative error of each pair's ratio, sorted; empty without a pair. */
  List<Double> errors() {
    List<Double> errors = new ArrayList<>();
    mixed.forEach((pair, half) -> {
      Peak whole = full.get(pair);
      if (whole != null) {
        double measured = half.measured() / whole.measured();
        double predicted = half.predicted() / whole.predicted();
        errors.add(Math.abs(predicted / measured - 1));
      }
    });
    errors.sort(null);
    return errors;
  }

  /** The median of sorted errors. */
  static double median(List<Double> errors) {
    int half = errors.size() / 2;
    return errors.size() % 2 == 1
        ? errors.get(half)
        : (errors.get(half - 1) + errors.get(half)) / 2;
  }
}
