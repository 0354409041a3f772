package dev.cotenant.predictor.correct;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.PredictionRequest;
import dev.cotenant.predictor.train.TrainingProgress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Learns a correction from a cluster's own runs. The same base and runs in any order give the same
 * correction, byte for byte. Single outliers are left out ({@link Quarantine}), and so are peaks
 * above the memory of the device.
 */
public final class CorrectionTrainer {
  /** Fewer runs allow no check by leaving some out. */
  public static final int MIN_RUNS = 5;

  private static final int STEPS = 3;

  private final DeviceCatalogue devices;
  private final TrainingProgress progress;

  public CorrectionTrainer(DeviceCatalogue devices, TrainingProgress progress) {
    this.devices = devices;
    this.progress = progress;
  }

  /**
   * What a training made.
   *
   * @param quarantined rows that it left out as outliers, by target
   */
  public record Trained(Correction correction, Map<CorrectedTarget, Integer> quarantined) {
    public Trained {
      quarantined = Collections.unmodifiableMap(new EnumMap<>(quarantined));
    }
  }

  /**
   * Corrects {@code predictor}, the model {@code base}.
   *
   * @throws InputException ({@code too-few-rows}) when there are fewer than {@link #MIN_RUNS}
   */
  public Trained train(FeaturePredictor predictor, Correction.Base base, List<ProfileRow> rows) {
    List<ProfileRow> clean =
        rows.stream()
            .filter(row -> row.quality() == ProfileRow.Quality.CLEAN)
            .filter(this::fitsItsDevice)
            .sorted(Comparator.comparing(ProfileRow::toString))
            .toList();
    if (clean.size() < MIN_RUNS) {
      throw InputException.malformed(
          "too-few-rows",
          "A correction needs at least "
              + MIN_RUNS
              + " clean rows to learn from, there are "
              + clean.size()
              + ": POST more to /v1/profiles (one in four is held out to judge by).");
    }
    List<Prediction> predictions = new ArrayList<>(clean.size());
    for (ProfileRow row : clean) {
      predictions.add(
          predictor.predict(
              PredictionRequest.of(
                      row.features(), row.settings(), devices.require(row.device().value()))
                  .on(Host.MEASURED)));
    }
    progress.advanced("errors of the base", 1, STEPS);
    TargetTrainer trainer = new TargetTrainer(devices);
    Quarantine.Sorted busy =
        Quarantine.sort(residuals(CorrectedTarget.UTILIZATION, clean, predictions));
    TargetCorrection utilization = trainer.fit(busy.trusted());
    progress.advanced("utilization", 2, STEPS);
    Quarantine.Sorted peaks =
        Quarantine.sort(residuals(CorrectedTarget.PEAK_MEMORY, clean, predictions));
    TargetCorrection memory = trainer.fitOnHosts(peaks.trusted());
    progress.advanced("memory", STEPS, STEPS);
    return new Trained(
        new Correction(base, FamilyIndex.of(clean), utilization, memory),
        Map.of(
            CorrectedTarget.UTILIZATION,
            busy.outliers(),
            CorrectedTarget.PEAK_MEMORY,
            peaks.outliers()));
  }

  /** Whether the peak is within the device's memory; a larger peak was not measured on it. */
  private boolean fitsItsDevice(ProfileRow row) {
    MemorySize peak = row.peakMemory();
    return peak == null || peak.isAtMost(devices.require(row.device().value()).memory());
  }

  private static List<Residual> residuals(
      CorrectedTarget target, List<ProfileRow> rows, List<Prediction> predictions) {
    List<Residual> residuals = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      OptionalDouble measured = target.measured(rows.get(i));
      if (measured.isPresent()) {
        CorrectedTarget.LogBounds base = target.predicted(predictions.get(i));
        residuals.add(new Residual(rows.get(i), base, measured.getAsDouble() - base.mean()));
      }
    }
    return residuals;
  }
}
