package dev.cotenant.predictor;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.forest.Feature;
import dev.cotenant.predictor.forest.Forest;
import dev.cotenant.predictor.forest.ModelFileReader;
import dev.cotenant.predictor.forest.Novelty;
import dev.cotenant.predictor.forest.PredictorModel;
import dev.cotenant.predictor.forest.Provenance;
import dev.cotenant.predictor.forest.ResidualQuantiles;
import dev.cotenant.predictor.forest.Target;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/**
 * Predicts utilization and peak memory with a random forest on the features of [UtilPred, Table 2]
 * and the device. Immutable, thread safe, free of I/O after loading.
 *
 * <p>Estimates are for training in fp32, which is what the forest has seen. A bound holds in the
 * model's coverage of cases like those it was calibrated on: rows of layouts that were left out of
 * training, or, when the question names a device that training did not have or a feature value that
 * it did not have on that device, rows of families or devices that were left out. For inference,
 * utilization is bounded by 100 % and memory is computed ({@link InferenceMemory}). Every such
 * widening is a warning.
 */
public final class ForestPredictor {
  private static final String RESOURCE = "predictor.forest";

  /** 16 TiB: beyond any device, and safe to add up in bytes. */
  private static final double MOST_BYTES = 0x1p44;

  private static final int VERSION_DIGITS = 12;

  private final PredictorModel model;
  private final String version;

  private ForestPredictor(PredictorModel model, String version) {
    this.model = model;
    this.version = version;
  }

  /** The predictor that the project ships. */
  public static ForestPredictor builtIn() {
    try (InputStream in =
        Objects.requireNonNull(ForestPredictor.class.getResourceAsStream(RESOURCE), RESOURCE)) {
      return ofBytes(in.readAllBytes(), RESOURCE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * A predictor from a file that training wrote.
   *
   * @throws dev.cotenant.domain.InputException when it is missing, not a predictor, damaged, too
   *     large, or of a newer version, naming the file
   */
  public static ForestPredictor load(Path file) {
    return ofBytes(ModelFileReader.readBytes(file), file.toString());
  }

  /**
   * A predictor from the bytes of such a file.
   *
   * @param name what to call it in messages
   * @throws dev.cotenant.domain.InputException as {@link #load}
   */
  public static ForestPredictor ofBytes(byte[] bytes, String name) {
    PredictorModel model = ModelFileReader.parse(bytes, name);
    String hash = HexFormat.of().formatHex(sha256(bytes));
    return new ForestPredictor(model, "forest-1-" + hash.substring(0, VERSION_DIGITS));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** What a model will do on a device, alone. */
  public Prediction predict(ModelFeatures features, RunSettings settings, Device device) {
    float[] vector = Feature.encode(features, device);
    Novelty novelty = model.ranges().novelty(vector, device.id());
    boolean inference = settings.mode() == ExecutionMode.INFERENCE;
    UtilizationEstimate trained = utilization(vector, novelty);
    return new Prediction(
        device.id(),
        features.batchSize(),
        settings,
        inference ? unbounded(trained) : trained,
        inference ? inferenceMemory(features) : memory(features, vector, novelty),
        version,
        Warnings.of(novelty, settings, provenance()));
  }

  private UtilizationEstimate utilization(float[] vector, Novelty novelty) {
    Forest.Estimate estimate = model.utilization().forest().estimate(vector);
    ResidualQuantiles offsets = model.utilization().offsets(estimate, novelty);
    return new UtilizationEstimate(
        percent(estimate.mean()),
        percent(estimate.mean() + offsets.lower()),
        percent(estimate.mean() + offsets.upper()),
        provenance().coverage());
  }

  private static Utilization percent(double log) {
    return Utilization.ofPercentClipped(Math.expm1(log));
  }

  /** No inference run was ever seen, so that only the trivial bounds are honest. */
  private static UtilizationEstimate unbounded(UtilizationEstimate trained) {
    return new UtilizationEstimate(
        trained.mean(), Utilization.IDLE, Utilization.FULL, trained.coverage());
  }

  private MemoryEstimate memory(ModelFeatures features, float[] vector, Novelty novelty) {
    Forest.Estimate estimate = model.memory().forest().estimate(vector);
    ResidualQuantiles offsets = model.memory().offsets(estimate, novelty);
    return new MemoryEstimate(
        bytes(estimate.mean(), features),
        bytes(estimate.mean() + offsets.lower(), features),
        bytes(estimate.mean() + offsets.upper(), features),
        provenance().coverage());
  }

  private static MemorySize bytes(double log, ModelFeatures features) {
    double bytes = Math.min(MOST_BYTES, Target.PEAK_MEMORY.valueOf(log, features));
    return MemorySize.ofBytesRoundedUp(bytes);
  }

  private MemoryEstimate inferenceMemory(ModelFeatures features) {
    return InferenceMemory.estimate(features, model.contextMemory(), provenance().coverage());
  }

  /** Names the model file: {@code forest-1-} and the first 12 digits of its SHA-256. */
  public String version() {
    return version;
  }

  /** What the predictor was trained on, and how. */
  public Provenance provenance() {
    return model.provenance();
  }
}
