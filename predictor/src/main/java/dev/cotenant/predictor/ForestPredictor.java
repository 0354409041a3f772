package dev.cotenant.predictor;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.forest.BoundCoverage;
import dev.cotenant.predictor.forest.Feature;
import dev.cotenant.predictor.forest.Forest;
import dev.cotenant.predictor.forest.ModelFileReader;
import dev.cotenant.predictor.forest.Novelty;
import dev.cotenant.predictor.forest.PredictorModel;
import dev.cotenant.predictor.forest.Provenance;
import dev.cotenant.predictor.forest.ResidualQuantiles;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.forest.TargetModel;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Predicts utilization and peak memory with a random forest on the features of [UtilPred, Table 2]
 * and the device. Immutable, thread safe, free of I/O after loading.
 *
 * <p>Estimates are for training in fp32, which is what the forest has seen. Bounds are those of
 * layouts that were left out of training or, when the question names a device that training did not
 * have or a feature value that it did not have on that device, the widest of families and devices
 * that were left out, with the coverage that was measured for that kind of novelty. For inference,
 * utilization is bounded by 100 % and memory is computed with assumed bounds ({@link
 * InferenceMemory}); for other precisions the bounds are those of fp32 and assumed to hold too.
 * Every such widening is a warning.
 */
public final class ForestPredictor {
  private static final String RESOURCE = "predictor.forest";

  /** 16 TiB: beyond any device, and safe to add up in bytes. */
  private static final MemorySize MOST_MEMORY = MemorySize.ofGiB(16 << 10);

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
    Novelty novelty = model.ranges().novelty(features, device.id());
    boolean inference = settings.mode() == ExecutionMode.INFERENCE;
    Question question = new Question(features, device, novelty, settings.precision());
    UtilizationEstimate trained = utilization(question);
    MemoryEstimate memory = inference ? inferenceMemory(features) : memory(question);
    List<String> warnings = new ArrayList<>(Warnings.of(novelty, settings, provenance()));
    if (MOST_MEMORY.isAtMost(memory.upper())) {
      warnings.add("Peak memory is not told beyond " + MOST_MEMORY + ": the figures end there.");
    }
    return new Prediction(
        device.id(),
        features.batchSize(),
        settings,
        inference ? unbounded(trained) : trained,
        memory,
        version,
        warnings);
  }

  private record Question(
      ModelFeatures features, Device device, Novelty novelty, Precision precision) {
    Forest.Estimate estimate(TargetModel target) {
      return target.forest().estimate(Feature.encode(features, device));
    }

    /** No run of another precision than fp32 was ever seen. */
    @Nullable Coverage coverageOf(TargetModel target) {
      return precision == Precision.FP32 ? target.coverage().of(novelty) : null;
    }
  }

  private UtilizationEstimate utilization(Question question) {
    TargetModel target = model.utilization();
    Forest.Estimate estimate = question.estimate(target);
    ResidualQuantiles offsets = target.offsets(estimate, question.novelty());
    return new UtilizationEstimate(
        percent(estimate.mean()),
        percent(estimate.mean() + offsets.lower()),
        percent(estimate.mean() + offsets.upper()),
        question.coverageOf(target));
  }

  private static Utilization percent(double log) {
    return Utilization.ofPercentClipped(Math.expm1(log));
  }

  /** No inference run was ever seen, so that only the trivial bounds are honest. */
  private static UtilizationEstimate unbounded(UtilizationEstimate trained) {
    return new UtilizationEstimate(
        trained.mean(), Utilization.IDLE, Utilization.FULL, Coverage.CERTAIN);
  }

  private MemoryEstimate memory(Question question) {
    TargetModel target = model.memory();
    Forest.Estimate estimate = question.estimate(target);
    ResidualQuantiles offsets = target.offsets(estimate, question.novelty());
    ModelFeatures features = question.features();
    return new MemoryEstimate(
        bytes(estimate.mean(), features),
        bytes(estimate.mean() + offsets.lower(), features),
        bytes(estimate.mean() + offsets.upper(), features),
        question.coverageOf(target));
  }

  private static MemorySize bytes(double log, ModelFeatures features) {
    double bytes =
        Math.min((double) MOST_MEMORY.bytes(), Target.PEAK_MEMORY.valueOf(log, features));
    return MemorySize.ofBytesRoundedUp(bytes);
  }

  private MemoryEstimate inferenceMemory(ModelFeatures features) {
    return InferenceMemory.estimate(features, model.contextMemory());
  }

  /** Names the model file: {@code forest-1-} and the first 12 digits of its SHA-256. */
  public String version() {
    return version;
  }

  /** How often the bounds of a target hold. */
  public BoundCoverage coverage(Target target) {
    return switch (target) {
      case UTILIZATION -> model.utilization().coverage();
      case PEAK_MEMORY -> model.memory().coverage();
    };
  }

  /** What the predictor was trained on, and how. */
  public Provenance provenance() {
    return model.provenance();
  }
}
