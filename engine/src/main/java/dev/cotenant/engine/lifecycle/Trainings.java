package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.engine.lifecycle.ModelVersion.Origin;
import dev.cotenant.engine.profile.NamespaceRowCap;
import dev.cotenant.engine.profile.StoredProfile;
import dev.cotenant.predictor.correct.CorrectedTarget;
import dev.cotenant.predictor.correct.Correction;
import dev.cotenant.predictor.correct.CorrectionFile;
import dev.cotenant.predictor.correct.CorrectionLayer;
import dev.cotenant.predictor.correct.CorrectionTrainer;
import dev.cotenant.predictor.layer.LayeredPredictor;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;

/**
 * Runs requested trainings: one process takes each, its version is stored and waits for promotion.
 */
public final class Trainings {
  /** A silent replica counts as dead after this time; a training takes seconds. */
  public static final Duration STALE_AFTER = Duration.ofMinutes(1);

  private final ModelStore store;
  private final Serving serving;
  private final Supplier<DeviceCatalogue> devices;
  private final String replica;
  private final InstantSource clock;

  /**
   * @param devices those that rows may name, at present
   * @param replica names this process, unlike any other
   */
  public Trainings(
      ModelStore store,
      Serving serving,
      Supplier<DeviceCatalogue> devices,
      String replica,
      InstantSource clock) {
    this.store = store;
    this.serving = serving;
    this.devices = devices;
    this.replica = replica;
    this.clock = clock;
  }

  /**
   * Takes the training that waits, or that a dead replica left, and runs it to its end.
   *
   * @return how it ended; empty where there was none to take
   * @throws StoreException when the store fails; one that could not even be ended is taken up again
   *     once it is stale
   */
  public Optional<Training.Outcome> runNext() {
    Instant now = clock.instant();
    return store.trainings().claim(replica, now.minus(STALE_AFTER), now).map(this::run);
  }

  private Training.Outcome run(Training training) {
    Training.Outcome outcome =
        Training.Outcome.failed(
            "The store or Cotenant itself failed; the log of replica " + replica + " says how.");
    try {
      outcome = train(training);
    } finally {
      store.trainings().end(training, outcome, clock.instant());
    }
    return outcome;
  }

  private Training.Outcome train(Training training) {
    try {
      return train(training, rows(false), rows(true));
    } catch (CancellationException e) {
      return Training.Outcome.cancelled();
    } catch (InputException e) {
      return Training.Outcome.failed(e.getMessage());
    } catch (QuotaException e) {
      return Training.Outcome.failed(e.getMessage());
    }
  }

  private List<ProfileRow> rows(boolean heldOut) {
    return NamespaceRowCap.of(store.profiles().all()).stream()
        .filter(row -> row.isHeldOut() == heldOut)
        .map(StoredProfile::row)
        .toList();
  }

  private Training.Outcome train(
      Training training, List<ProfileRow> rows, List<ProfileRow> heldOut) {
    DeviceCatalogue listed = devices.get();
    PredictorFiles files = serving.files();
    ModelVersion base = files.baseOf(files.require(serving.served().sha256()));
    LayeredPredictor predictor = files.load(base);
    CorrectionTrainer.Trained trained =
        new CorrectionTrainer(listed, (step, done, total) -> advance(training, step, done, total))
            .train(predictor, new Correction.Base(base.sha256(), base.label()), rows);
    byte[] file = CorrectionFile.write(trained.correction());
    ModelVersion described = files.describe(file, "the training", Origin.TRAINED, clock.instant());
    HeldOutScore before = HeldOutScore.of(serving.predictor(), heldOut, listed);
    HeldOutScore after = HeldOutScore.of(corrected(predictor, base, file), heldOut, listed);
    Map<CorrectedTarget, Integer> outliers = trained.quarantined();
    ModelVersion version = withFigures(described, after, outliers);
    store.versions().add(version, file);
    return Training.Outcome.finished(
        version.sha256(),
        version.label()
            + " learned from "
            + rows.size()
            + " rows; quarantined as outliers: "
            + outliers.getOrDefault(CorrectedTarget.UTILIZATION, 0)
            + " of utilization, "
            + outliers.getOrDefault(CorrectedTarget.PEAK_MEMORY, 0)
            + " of memory. Held-out rows: "
            + after
            + ", against "
            + before
            + " of the active version.",
        outliers);
  }

  private static LayeredPredictor corrected(
      LayeredPredictor predictor, ModelVersion base, byte[] file) {
    return predictor.with(
        new CorrectionLayer(
            base.sha256(), CorrectionFile.read(file, "the training"), CorrectionFile.label(file)));
  }

  private static ModelVersion withFigures(
      ModelVersion version, HeldOutScore score, Map<CorrectedTarget, Integer> outliers) {
    Map<String, Double> metrics = new TreeMap<>(version.metrics());
    metrics.putAll(score.asMetrics());
    outliers.forEach(
        (target, rows) -> metrics.put(target.key() + "_quarantined_rows", (double) rows));
    return new ModelVersion(
        version.sha256(),
        version.label(),
        version.kind(),
        version.origin(),
        version.parent(),
        version.createdAt(),
        version.card(),
        version.provenance(),
        metrics);
  }

  private void advance(Training training, String step, int done, int total) {
    Training.Progress progress = new Training.Progress(step, done, total);
    if (!store.trainings().advance(training, progress, clock.instant())) {
      throw new CancellationException("cancelled, or taken over by another replica");
    }
  }
}
