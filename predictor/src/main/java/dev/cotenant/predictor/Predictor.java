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
import dev.cotenant.predictor.hybrid.HybridFile;
import dev.cotenant.predictor.hybrid.HybridModel;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.MemoryParts;
import dev.cotenant.predictor.model.ModelFile;
import dev.cotenant.predictor.model.Novelty;
import dev.cotenant.predictor.model.PredictionRequest;
import dev.cotenant.predictor.model.Provenance;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.steptime.StepTimePredictor;
import dev.cotenant.predictor.train.TrainedModel;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Predicts utilization and peak memory of a workload before it runs, from the features of its graph
 * and the device. Immutable, thread safe, free of I/O after loading.
 *
 * <p>Estimates are for training in fp32, the measured configuration. Bounds hold at the requested
 * level, or at the highest one that the calibration rows support; they are wider on devices and for
 * networks without measured runs. Inference is answered by the step time: its utilization is
 * request rate × busy time, or that at the capacity where no rate is stated. Memory of other
 * settings is the formula's, with the bounds of networks unlike the measured ones. For other
 * precisions utilization of training is what the prior expects of the device's rate. Every such
 * widening is a warning.
 */
public final class Predictor implements FeaturePredictor {
  private static final String RESOURCE = "predictor.model";

  /** 16 TiB: beyond any device, and safe to add up in bytes. */
  private static final MemorySize MAX_MEMORY = MemorySize.ofGiB(16 << 10);

  private final HybridModel model;
  private final StepTimePredictor stepTimes = StepTimePredictor.builtIn();
  private final String version;

  private Predictor(HybridModel model, String version) {
    this.model = model;
    this.version = version;
  }

  /** The predictor that the project ships. */
  public static Predictor builtIn() {
    return ofBytes(builtInFile(), RESOURCE);
  }

  /** The file of the predictor that the project ships, as {@link #ofBytes} reads it. */
  public static byte[] builtInFile() {
    try (InputStream in =
        Objects.requireNonNull(Predictor.class.getResourceAsStream(RESOURCE), RESOURCE)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The predictor that loading what training made gives. */
  public static Predictor of(TrainedModel trained) {
    return ofBytes(trained.toBytes(), "the trained model");
  }

  /**
   * A predictor from the bytes of a file that training wrote.
   *
   * @param name name of the file in messages
   * @throws dev.cotenant.domain.InputException when they are no predictor, damaged, too large or of
   *     a newer version, naming the file
   */
  public static Predictor ofBytes(byte[] bytes, String name) {
    return new Predictor(HybridFile.read(bytes, name), ModelFile.versionOf(bytes));
  }

  @Override
  public Prediction predict(PredictionRequest request) {
    ModelFeatures features = request.model();
    RunSettings settings = request.settings();
    Device device = request.device();
    Novelty novelty =
        model.ranges().novelty(features, device.id()).withMeasured(request.measuredDevices());
    UtilizationEstimate trained = utilization(request);
    MemoryEstimate memory = memory(request);
    List<String> warnings = new ArrayList<>(Warnings.of(novelty, settings, provenance()));
    Warnings.ofLevel(request.level(), trained, memory).ifPresent(warnings::add);
    if (MAX_MEMORY.isAtMost(memory.upper())) {
      warnings.add("Peak memory is not predicted beyond " + MAX_MEMORY + ".");
    }
    StepTimePredictor.Predicted step =
        stepTimes.predict(features, settings, device, request.level());
    Prediction unloaded =
        new Prediction(
                device.id(), features.batchSize(), settings, trained, memory, version, warnings)
            .withStepTime(step.estimate())
            .withBusyTime(LoadedUtilization.busyTime(features, step));
    Prediction loaded = LoadedUtilization.of(unloaded);
    return settings.mode() == ExecutionMode.TRAINING
        ? loaded
        : loaded.withShares(PartitionTimes.of(features, settings, device));
  }

  private UtilizationEstimate utilization(PredictionRequest request) {
    HybridModel.Estimate estimate = model.estimate(Target.UTILIZATION, request);
    return new UtilizationEstimate(
        percent(estimate.mean()),
        percent(estimate.lower()),
        percent(estimate.upper()),
        coverage(request, estimate),
        estimate.group());
  }

  private static Utilization percent(double log) {
    return Utilization.ofPercentClipped(Math.expm1(log));
  }

  private MemoryEstimate memory(PredictionRequest request) {
    HybridModel.Estimate estimate = model.estimate(Target.PEAK_MEMORY, request);
    return new MemoryEstimate(
        bytes(estimate.mean()),
        bytes(estimate.lower()),
        bytes(estimate.upper()),
        estimate.coverage(),
        estimate.group());
  }

  private static MemorySize bytes(double logMebibytes) {
    double bytes = Math.exp(logMebibytes) * MemorySize.MIB;
    return MemorySize.ofBytesRoundedUp(Math.min((double) MAX_MEMORY.bytes(), bytes));
  }

  /** No run of other settings than fp32 training was measured. */
  private static @Nullable Coverage coverage(
      PredictionRequest request, HybridModel.Estimate estimate) {
    RunSettings settings = request.settings();
    return settings.mode() == ExecutionMode.TRAINING && settings.precision() == Precision.FP32
        ? estimate.coverage()
        : null;
  }

  /** Summands of the peak-memory formula; empty for a model with a different formula. */
  public Optional<MemoryParts> memoryParts(PredictionRequest request) {
    return model.memoryParts(request);
  }

  /** Names the model file: its format and the first 12 digits of the SHA-256 that is in it. */
  public String version() {
    return version;
  }

  /** Rows of each group whose errors bound a target, by the group's name. */
  public SortedMap<String, Integer> groups(Target target) {
    return model.groups(target);
  }

  /** What the predictor was trained on, and how. */
  public Provenance provenance() {
    return model.provenance();
  }
}
