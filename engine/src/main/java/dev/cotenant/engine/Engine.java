package dev.cotenant.engine;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.MetricsTranslator;
import dev.cotenant.engine.cluster.PolledReadings;
import dev.cotenant.engine.cluster.RecordedCluster;
import dev.cotenant.engine.cluster.RecordedClusterReader;
import dev.cotenant.engine.cluster.SnapshotAssembler;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.ModelGraph;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.forecast.CorrelationBasedPrediction;
import dev.cotenant.forecast.ForecastRequest;
import dev.cotenant.forecast.ForecasterCatalogue;
import dev.cotenant.forecast.MemoryForecaster;
import dev.cotenant.forecast.PeakPrediction;
import dev.cotenant.forecast.prometheus.MetricsReading;
import dev.cotenant.forecast.trees.PeakModel;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.layer.PredictionLayer;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.PredictionRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The operations that users call, on the command line or through the service.
 *
 * <p>Thread safe, and immutable but for {@link #serve} and {@link #replaceDevices}. Every operation
 * that reads input throws {@link dev.cotenant.domain.InputException} with a message for people.
 */
public final class Engine {
  private final OnnxGraphReader reader;
  private final FeatureExtractor extractor = new FeatureExtractor();
  private final Supplier<Predictor> predictor;
  private final Supplier<SharingDecider> decider =
      new Lazy<>(() ->
          new SharingDecider(FallbackInterferenceModel.on(this::devices), new CurrentRisks()));
  private final Supplier<Forecasting> forecasting;
  private volatile DeviceCatalogue devices;
  private volatile @Nullable Answers promoted;
  private volatile RiskModels risks = RiskModels.UNTRAINED;

  /**
   * What answers instead of the shipped predictor.
   *
   * @param predictor at the time of the request
   * @param measured what was measured of the same run
   */
  private record Answers(
      Supplier<? extends FeaturePredictor> predictor, PredictionLayer measured) {}

  /** Those of the last {@link #replaceRisks}. */
  private final class CurrentRisks implements RiskModels {
    @Override
    public RiskModel of(String namespace) {
      return risks.of(namespace);
    }

    @Override
    public Object state() {
      return risks.state();
    }

    @Override
    public String source(String namespace, String device, SharedJob victim) {
      return risks.source(namespace, device, victim);
    }
  }

  /** What the first forecast loads. */
  private record Forecasting(
      ServedBound bound, SnapshotAssembler assembler, List<MemoryForecaster> forecasters) {
    static Forecasting of(EngineSettings settings) {
      EngineSettings.Forecasting chosen = settings.forecasting();
      ServedBound bound = new ServedBound(chosen.decisionHorizon());
      SnapshotAssembler assembler =
          new SnapshotAssembler(
              deciding(chosen, bound), chosen.chain().windowSamples(), settings.maxMetricAge());
      return new Forecasting(
          bound, counting(chosen, assembler), ForecasterCatalogue.all(bound, chosen.chain()));
    }
  }

  private static SnapshotAssembler counting(
      EngineSettings.Forecasting chosen, SnapshotAssembler assembler) {
    return switch (chosen.policy()) {
      case PEAK_BOUND, RESAWARE -> assembler;
      case GRANTS -> assembler.withGrantsBeyond(Duration.ZERO);
      case STAY -> assembler.withGrantsBeyond(chosen.decisionHorizon());
    };
  }

  /** Composes the parts with these settings around this predictor. */
  public Engine(EngineSettings settings, Predictor predictor) {
    this(settings, () -> predictor);
  }

  private Engine(EngineSettings settings, Supplier<Predictor> predictor) {
    this.predictor = predictor;
    reader = new OnnxGraphReader(settings.readerLimits());
    devices = settings.devices();
    forecasting = new Lazy<>(() -> Forecasting.of(settings));
  }

  /**
   * What a decision considers after grants alone: the bound on the peak, or the published CBP and
   * PP.
   */
  private static List<MemoryForecaster> deciding(
      EngineSettings.Forecasting forecasting, MemoryForecaster bound) {
    return switch (forecasting.policy()) {
      case PEAK_BOUND, GRANTS, STAY -> List.of(bound);
      case RESAWARE ->
          List.of(
              new CorrelationBasedPrediction(forecasting.chain()),
              new PeakPrediction(forecasting.chain()));
    };
  }

  /** Defaults throughout and the shipped predictor, which is loaded at its first use. */
  public static Engine standard() {
    return lazy(EngineSettings.DEFAULT);
  }

  /** These settings and the shipped predictor, which is loaded at its first use. */
  public static Engine lazy(EngineSettings settings) {
    return new Engine(settings, () -> Shipped.PREDICTOR);
  }

  private static final class Shipped {
    static final Predictor PREDICTOR = Predictor.builtIn();
  }

  /** These settings and the shipped predictor. */
  public static Engine standard(EngineSettings settings) {
    return new Engine(settings, Predictor.builtIn());
  }

  /** A binding of the batch alone. */
  public static GraphBinding batchOf(int batchSize) {
    return new GraphBinding(batchSize, Map.of());
  }

  /** The known GPUs. They may be replaced: a caller that reads them twice may see two states. */
  public DeviceCatalogue devices() {
    return devices;
  }

  /** Predicts, decides and reads metrics with other devices from now on. */
  public void replaceDevices(DeviceCatalogue others) {
    devices = others;
  }

  /** Reads ONNX graphs within the configured limits. */
  public OnnxGraphReader reader() {
    return reader;
  }

  /** Which predictor answers. */
  public String modelVersion() {
    return predictor.get().version();
  }

  /**
   * Predicts with another predictor from now on.
   *
   * @param other at the time of each request
   * @param measured what was measured of the same run, over its estimate
   */
  public void serve(Supplier<? extends FeaturePredictor> other, PredictionLayer measured) {
    promoted = new Answers(other, measured);
  }

  /** Bounds peaks of used memory with another model from the next reading of metrics on. */
  public void serveForecast(PeakModel other) {
    forecasting.get().bound.serve(other);
  }

  /** Decides with these risks of slowdown from now on. */
  public void replaceRisks(RiskModels others) {
    risks = others;
  }

  /** What decides; it reserves nothing. */
  public SharingDecider decider() {
    return decider.get();
  }

  /**
   * The features of a file's graph.
   *
   * @param file an ONNX file
   * @param batchSize samples in the batch; null leaves the declared one
   * @param dimensions other symbolic dimensions by name
   */
  public GraphFeatures inspect(
      Path file, @Nullable Integer batchSize, Map<String, Integer> dimensions) {
    return inspect(reader.read(file), new GraphBinding(batchSize, dimensions));
  }

  /** The graph's features at a batch and other bound dimensions. */
  public GraphFeatures inspect(ModelGraph graph, GraphBinding binding) {
    return extractor.extract(graph, binding);
  }

  /** Predicts a model with these features on a device; combines the warnings of both. */
  public Prediction predict(GraphFeatures features, RunSettings run, Device device) {
    return predict(features, PredictionRequest.of(features.model(), run, device));
  }

  /**
   * Predicts at the level of a request.
   *
   * @param request of the model of {@code features}
   */
  public Prediction predict(GraphFeatures features, PredictionRequest request) {
    Answers chosen = promoted;
    FeaturePredictor model = chosen == null ? predictor.get() : chosen.predictor.get();
    Prediction prediction =
        (chosen == null
                ? model.predict(request)
                : chosen.measured.over(
                    request, model.predict(chosen.measured.requestBelow(request))))
            .withWork(GraphWork.of(features.model()));
    if (features.warnings().isEmpty()) {
      return prediction;
    }
    List<String> warnings =
        Stream.concat(features.warnings().stream(), prediction.warnings().stream()).toList();
    return prediction.withWarnings(warnings);
  }

  /**
   * Every estimator's answer side by side: the default first, then the published chain and the
   * baselines.
   */
  public List<MemoryForecast> forecast(ForecastRequest request) {
    return forecasting.get().forecasters.stream()
        .map(forecaster -> forecaster.forecast(request))
        .toList();
  }

  /** The same about one GPU, held as {@code tenancy} says. */
  public List<MemoryForecast> forecast(GpuReading gpu, Tenancy tenancy, Instant now) {
    return forecast(forecasting.get().assembler.request(gpu, tenancy, now));
  }

  /** Reads a recorded cluster. */
  public RecordedCluster readCluster(Path file) {
    return new RecordedClusterReader(devices).read(file);
  }

  /** As {@link #readCluster(Path)}; {@code name} stands for the file in messages. */
  public RecordedCluster readCluster(byte[] json, String name) {
    return new RecordedClusterReader(devices).read(json, name);
  }

  /** The snapshot of a recorded cluster at the instant of its recording. */
  public ClusterSnapshot snapshot(RecordedCluster recorded) {
    return forecasting.get().assembler.assemble(recorded.recordedAt(), recorded.gpus());
  }

  /**
   * Readings of a metrics server; a poller refreshes them.
   *
   * @param server reads everything as of an instant
   * @param description of it, for people
   */
  public PolledReadings poll(
      Function<Instant, MetricsReading> server, String description, InstantSource clock) {
    MetricsTranslator translator = new MetricsTranslator(() -> devices.names());
    return new PolledReadings(server, translator, forecasting.get().assembler, description, clock);
  }

  /** The single GPU of a metrics reading; empty after a failure or for an unknown product. */
  public Optional<GpuReading> readGpu(MetricsReading read) {
    return read instanceof MetricsReading.Fetched fetched
        ? new MetricsTranslator(() -> devices.names())
            .translate(fetched.devices()).readings().stream().findFirst()
        : Optional.empty();
  }

  /** Decides about one workload on one snapshot; reserves nothing. */
  public Decision decide(ClusterSnapshot snapshot, PlacementRequest request) {
    return decider.get().decide(snapshot, request);
  }
}
