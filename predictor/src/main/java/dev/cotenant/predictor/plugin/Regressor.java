package dev.cotenant.predictor.plugin;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;

/** A regressor that a user brought, for one target. Thread safe. */
public interface Regressor extends AutoCloseable {
  /** Names it and its file: a name, a hyphen and the first 12 digits of the file's SHA-256. */
  String version();

  /**
   * A prediction in which this regressor's target is its own answer and the rest is as given.
   *
   * @param shipped what another predictor says about the same question
   * @param features the model at the batch of the request
   * @throws dev.cotenant.domain.InputException ({@code regressor-not-for-this}, {@code
   *     regressor-not-finite}) when it does not cover the device, mode or precision, or answers
   *     nothing usable
   */
  Prediction answer(Prediction shipped, ModelFeatures features, Device device);

  /** Frees what it holds outside the heap; no call may follow. */
  @Override
  void close();
}
