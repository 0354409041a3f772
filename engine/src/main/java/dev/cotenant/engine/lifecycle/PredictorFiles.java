package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.engine.lifecycle.ModelVersion.Kind;
import dev.cotenant.engine.lifecycle.ModelVersion.Origin;
import dev.cotenant.predictor.correct.Correction;
import dev.cotenant.predictor.correct.CorrectionFile;
import dev.cotenant.predictor.correct.CorrectionLayer;
import dev.cotenant.predictor.layer.LayeredPredictor;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.plugin.Regressor;
import dev.cotenant.predictor.plugin.RegressorLoader;
import java.time.Instant;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.function.Supplier;

/** Reads files of predictors: base models, corrections of these, and users' regressors. */
public final class PredictorFiles {
  private final VersionStore versions;
  private final BaseModel.Reader bases;
  private final Supplier<String> served;

  /**
   * @param served SHA-256 of the version that serves, which a regressor answers in part
   */
  public PredictorFiles(VersionStore versions, BaseModel.Reader bases, Supplier<String> served) {
    this.versions = versions;
    this.bases = bases;
    this.served = served;
  }

  /**
   * Describes a file after reading it completely.
   *
   * @param name name of the file in messages
   * @throws InputException when it cannot be served: no predictor, damaged, of a newer format, or
   *     ({@code unknown-base}) a correction of a model that is not in the store
   */
  public ModelVersion describe(byte[] file, String name, Origin origin, Instant at) {
    if (CorrectionFile.isOne(file)) {
      Correction correction = CorrectionFile.read(file, name);
      requireBase(correction, name);
      return ofCorrection(file, correction, origin, at);
    }
    if (RegressorLoader.isArchive(file)) {
      return ofRegressor(file, name, origin, at);
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

  private ModelVersion ofRegressor(byte[] file, String name, Origin origin, Instant at) {
    try (Regressor regressor = regressor(file, name)) {
      ModelVersion parent = parentOf(regressor);
      String task = regressor.target().task();
      return new ModelVersion(
          Sha256.of(file),
          regressor.version(),
          Kind.REGRESSOR,
          origin,
          parent.sha256(),
          at,
          "# "
              + regressor.version()
              + "\n\nA user's regressor of "
              + task
              + "; all else is predicted by "
              + parent.label()
              + ".\n",
          regressor.provenance(),
          Map.of());
    }
  }

  /** The active version, without a regressor of the same target. */
  private ModelVersion parentOf(Regressor regressor) {
    ModelVersion parent = require(served.get());
    if (parent.kind() == Kind.REGRESSOR && targetOf(parent) == regressor.target()) {
      parent = parentOf(parent);
    }
    if (parent.kind() == Kind.REGRESSOR && parentOf(parent).kind() == Kind.REGRESSOR) {
      throw InputException.invalidArgument(
          "too-many-regressors",
          "Two regressors serve already: promote the version "
              + baseOf(parent).label()
              + " before another upload.");
    }
    return parent;
  }

  private Target targetOf(ModelVersion version) {
    try (Regressor regressor = regressor(file(version.sha256()), version.label())) {
      return regressor.target();
    }
  }

  private ModelVersion parentOf(ModelVersion version) {
    String parent = version.parent();
    return parent == null ? version : require(parent);
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
        "base: " + correction.base().label() + "\n",
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
  public LayeredPredictor load(ModelVersion version) {
    byte[] file = file(version.sha256());
    String parent = version.parent();
    if (parent == null) {
      return LayeredPredictor.of(bases.read(file, version.label()).predictor());
    }
    if (version.kind() == Kind.REGRESSOR) {
      LayeredPredictor below = load(require(parent));
      return below.with(new RegressorLayer(regressor(file, version.label()), version.label()));
    }
    FeaturePredictor base = bases.read(file(parent), parent).predictor();
    Correction correction = CorrectionFile.read(file, version.label());
    return LayeredPredictor.of(base, new CorrectionLayer(parent, correction, version.label()));
  }

  /**
   * The same, but a regressor that cannot be used leaves its parent's predictions, with a warning.
   *
   * @throws InputException when another file cannot be used
   */
  LayeredPredictor loadOrParent(ModelVersion version) {
    if (version.kind() != Kind.REGRESSOR) {
      return load(version);
    }
    LayeredPredictor parent = loadOrParent(parentOf(version));
    try {
      Regressor regressor = regressor(file(version.sha256()), version.label());
      return parent.with(new RegressorLayer(regressor, version.label()));
    } catch (InputException e) {
      return parent.with(
          new WarningLayer(
              "The regressor " + version.label() + " cannot be used: " + e.getMessage()));
    }
  }

  /** What goes wrong in the plugin is an error of its input. */
  private Regressor regressor(byte[] file, String name) {
    try {
      return bases.regressor(file, name);
    } catch (InputException e) {
      throw e;
    } catch (RuntimeException | LinkageError | ServiceConfigurationError e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "regressor-failed",
          name + ": the plugin for regressors failed: " + e,
          e);
    }
  }

  private byte[] file(String sha256) {
    return versions
        .file(sha256)
        .orElseThrow(() ->
            InputException.notFound("missing-model", "The store has no model " + sha256 + "."));
  }

  /** The base of a version; of a base itself. */
  public ModelVersion baseOf(ModelVersion version) {
    return version.kind() == Kind.BASE ? version : baseOf(parentOf(version));
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
