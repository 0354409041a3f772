package dev.cotenant.cli.model;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.predictor.plugin.Regressor;
import dev.cotenant.predictor.plugin.RegressorLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The regressors that a user named, called in that order after the shipped predictor. */
final class Regressors implements AutoCloseable {
  private final List<Regressor> loaded = new ArrayList<>();

  private Regressors() {}

  /**
   * Loads each manifest.
   *
   * @throws dev.cotenant.domain.InputException for the first that cannot be used
   */
  static Regressors load(List<Path> manifests, DeviceCatalogue devices) {
    Regressors regressors = new Regressors();
    if (manifests.isEmpty()) {
      return regressors;
    }
    RegressorLoader loader = RegressorLoader.installed();
    boolean isComplete = false;
    try {
      manifests.forEach(manifest -> regressors.loaded.add(loader.load(manifest, devices)));
      isComplete = true;
      return regressors;
    } finally {
      if (!isComplete) {
        regressors.close();
      }
    }
  }

  /** The prediction with the targets that regressors answer replaced by theirs. */
  Prediction answer(Prediction shipped, ModelFeatures features, Device device) {
    Prediction answer = shipped;
    for (Regressor regressor : loaded) {
      answer = regressor.answer(answer, features, device);
    }
    return answer;
  }

  @Override
  public void close() {
    loaded.forEach(Regressor::close);
  }
}
