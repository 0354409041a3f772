package dev.cotenant.service.decisions;

import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.profile.NearestRuns;
import dev.cotenant.engine.profile.NearestRuns.Neighbour;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.profile.StoredProfile;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.model.MemoryParts;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a prediction of a registered graph rests on: parts of its memory, and measured runs. */
public final class PredictionGrounds {
  private static final int MAX_NEIGHBOURS = 5;

  /** Newest rows of one product that are looked through, at every look at a pod. */
  private static final int MAX_ROWS = 2_000;

  private final Engine engine;
  private final ModelRegistry models;
  private final ProfileStore profiles;
  private final Predictor formula;

  /**
   * @param formula whose parts of memory are shown
   */
  public PredictionGrounds(
      Engine engine, ModelRegistry models, ProfileStore profiles, Predictor formula) {
    this.engine = engine;
    this.models = models;
    this.profiles = profiles;
    this.formula = formula;
  }

  /**
   * What is known.
   *
   * @param parts of the formula of peak memory
   * @param neighbours measured runs of the pod's namespace and shared ones, the nearest first; null
   *     where the database is down
   */
  public record Grounds(Optional<MemoryParts> parts, @Nullable List<Neighbour> neighbours) {}

  /** Those of a pod's prediction; empty where its model is no registered graph. */
  public Optional<Grounds> of(Colocatable pod, Prediction prediction) {
    Device device = engine.devices().find(prediction.device().value()).orElse(null);
    if (device == null || prediction.engine() != null) {
      return Optional.empty();
    }
    return GrantReader.workload(pod)
        .filter(Workload::mayBeGraph)
        .map(Workload::model)
        .flatMap(models::find)
        .map(model -> engine.inspect(model.graph(), Engine.batchOf(prediction.batchSize())).model())
        .map(features ->
            new Grounds(
                formula.memoryParts(PredictionRequest.of(features, prediction.settings(), device)),
                neighbours(pod.pod().namespace(), prediction, features)));
  }

  private @Nullable List<Neighbour> neighbours(
      String namespace, Prediction prediction, ModelFeatures features) {
    try {
      Stream<StoredProfile> rows =
          profiles.newest(MAX_ROWS, namespace, prediction.device().value()).stream();
      return NearestRuns.of(rows, features, prediction.settings(), MAX_NEIGHBOURS);
    } catch (StoreException _) {
      return null;
    }
  }
}
