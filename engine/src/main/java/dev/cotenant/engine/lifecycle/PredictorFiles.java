package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.ModelVersion.Kind;
import dev.cotenant.engine.lifecycle.ModelVersion.Origin;
import dev.cotenant.predictor.correct.CorrectedPredictor;
import dev.cotenant.predictor.correct.Correction;
import dev.cotenant.predictor.correct.CorrectionFile;
import dev.cotenant.predictor.model.FeaturePredictor;
import java.time.Instant;
import java.util.Map;

/** Reads files of predictors: models that answer alone, and corrections of such models. */
public final class PredictorFiles {
  private final VersionStore versions;
  private final BaseModel.Reader bases;

  public PredictorFiles(VersionStore versions, BaseModel.Reader bases) {
    this.versions = versions;
    this.bases = bases;
  }

  /**
   * What a file is, once it was read whole.
   *
   * @param name what to call it in messages
   * @throws InputException when it cannot be served: no predictor, damaged, of a newer format, or
   *     ({@code unknown-base}) a correction of a model that is not in the store
   */
  public ModelVersion describe(byte[] file, String name, Origin origin, Instant at) {
    if (CorrectionFile.isOne(file)) {
      Correction correction = CorrectionFile.read(file, name);
      requireBase(correction, name);
      return ofCorrection(file, correction, origin, at);
    }
    BaseModel base = bases.read(file, name);
    return new ModelVersion(
        Sha256.of(file),
        base.label(),
        Kind.BASE,
        origin,
        null,
        at,
        base.card(),
        base.provenance(),
        Map.of());
  }

  private static ModelVersion ofCorrection(
      byte[] file, Correction correction, Origin origin, Instant at) {
    String label = CorrectionFile.label(file);
    return new ModelVersion(
        Sha256.of(file),
        label,
        Kind.CORRECTION,
        origin,
        correction.base().sha256(),
        at,
        new CorrectionCard(label, correction).toMarkdown(),
        "trained_at: " + correction.trainedAt() + "\nbase: " + correction.base().label() + "\n",
        correction.figures());
  }

  private void requireBase(Correction correction, String name) {
    if (versions.find(correction.base().sha256()).isEmpty()) {
      throw InputException.malformed(
          "unknown-base",
          name
              + ": corrects the model "
              + correction.base().label()
              + " ("
              + correction.base().sha256()
              + "), which is not here: upload that first.");
    }
  }

  /**
   * What answers when a version is served.
   *
   * @throws InputException when its file, or that of its base, is missing or cannot be read
   */
  public FeaturePredictor load(ModelVersion version) {
    byte[] file = file(version.sha256());
    String parent = version.parent();
    if (parent == null) {
      return bases.read(file, version.label()).predictor();
    }
    FeaturePredictor base = bases.read(file(parent), parent).predictor();
    Correction correction = CorrectionFile.read(file, version.label());
    return new CorrectedPredictor(base, parent, correction, version.label());
  }

  private byte[] file(String sha256) {
    return versions
        .file(sha256)
        .orElseThrow(() ->
            InputException.notFound("missing-model", "The store has no model " + sha256 + "."));
  }

  /** The version, or that which it corrects. */
  public ModelVersion baseOf(ModelVersion version) {
    String parent = version.parent();
    return parent == null ? version : require(parent);
  }

  /**
   * A version by SHA-256 or label.
   *
   * @throws InputException ({@code unknown-version})
   */
  public ModelVersion require(String sha256OrLabel) {
    return versions
        .find(sha256OrLabel)
        .orElseThrow(() ->
            InputException.notFound(
                "unknown-version",
                "There is no predictor '" + sha256OrLabel + "': GET /v1/predictors lists them."));
  }
}
