package dev.cotenant.engine.model;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.predictor.model.PredictionRequest;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Predicts registered models: a graph's features at a batch are cached, so that an answer takes
 * microseconds. A graph that is not in memory is read soon, and its model is unknown until then.
 */
public final class RegisteredModelPredictor implements WorkloadPredictor {
  /** A model has few batches; beyond this many pairs the memory is emptied. */
  private static final int MAX_REMEMBERED = 10_000;

  private final ModelRegistry registry;
  private final Engine engine;
  private final LanguageModelRuns languageModels;
  private final Map<Read, GraphFeatures> remembered = new ConcurrentHashMap<>();

  /** A graph at a batch. */
  private record Read(String sha256, int batchSize) {}

  /** Of registered graphs and language models. */
  public RegisteredModelPredictor(ModelRegistry registry, Engine engine) {
    this(
        registry,
        engine,
        new LanguageModelRuns(
            registry,
            new FolderDescriptions(
                FolderDescriptions.Folders.NONE,
                FolderDescriptions.Bounds.DEFAULT,
                InstantSource.system())));
  }

  /** Of registered graphs and of these language models. */
  public RegisteredModelPredictor(
      ModelRegistry registry, Engine engine, LanguageModelRuns languageModels) {
    this.registry = registry;
    this.engine = engine;
    this.languageModels = languageModels;
  }

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    return predictIn("", workload, devices, level);
  }

  @Override
  public Outcome predictIn(
      String namespace, Workload workload, Set<DeviceId> devices, Coverage level) {
    Optional<RegisteredModel> model =
        workload.mayBeGraph() ? registry.find(workload.model()) : Optional.empty();
    if (model.isEmpty()) {
      return languageModels.predict(workload, devices, level, engine.devices());
    }
    Outcome.UnknownModel unread = unread(model.get(), workload.batchSize());
    if (unread != null) {
      return unread;
    }
    GraphFeatures features = features(model.get(), workload.batchSize());
    Map<DeviceId, Prediction> predictions = new HashMap<>();
    DeviceCatalogue listedDevices = engine.devices();
    for (DeviceId device : devices) {
      listedDevices
          .find(device.value())
          .ifPresent(listed ->
              predictions.put(
                  device,
                  engine.predict(
                      features,
                      PredictionRequest.of(features.model(), workload.settings(), listed)
                          .at(level)
                          .in(namespace))));
    }
    return new Outcome.Predicted(predictions);
  }

  @Override
  public boolean isPrepared(Workload workload) {
    Optional<RegisteredModel> model =
        workload.mayBeGraph() ? registry.find(workload.model()) : Optional.empty();
    return model
        .map(graph ->
            remembered.containsKey(new Read(graph.sha256(), workload.batchSize()))
                || !graph.source().isInMemory())
        .orElse(true);
  }

  /** Decisions do not wait for a database. */
  private Outcome.@Nullable UnknownModel unread(RegisteredModel model, int batchSize) {
    GraphSource source = model.source();
    if (remembered.containsKey(new Read(model.sha256(), batchSize)) || source.isInMemory()) {
      return null;
    }
    String problem = source.problem();
    return problem == null
        ? new Outcome.UnknownModel(
            model.name(), "the graph of model '" + model.name() + "' is being read", true)
        : new Outcome.UnknownModel(
            model.name(), "model '" + model.name() + "' is not usable: " + problem, false);
  }

  /**
   * The features of the model of this name or digest at a batch.
   *
   * @throws InputException ({@code unknown-model})
   */
  public GraphFeatures features(String model, int batchSize) {
    return switch (registry.registered(model).orElseThrow(() -> registry.unknown(model))) {
      case RegisteredModel graph -> features(graph, batchSize);
      case RegisteredLanguageModel _ ->
          throw InputException.notFound(
              "unknown-model", "'" + model + "' is a language model, which has no graph.");
    };
  }

  /** The features of a registered model at a batch. */
  public GraphFeatures features(RegisteredModel model, int batchSize) {
    if (remembered.size() > MAX_REMEMBERED) {
      remembered.clear();
    }
    return remembered.computeIfAbsent(
        new Read(model.sha256(), batchSize),
        read -> engine.inspect(model.graph(), Engine.batchOf(batchSize)));
  }
}
