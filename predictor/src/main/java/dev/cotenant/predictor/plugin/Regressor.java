package dev.cotenant.predictor.plugin;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.model.Target;

/** A user's regressor for one target. Thread safe. */
public interface Regressor extends AutoCloseable {
  /** The regressor's name, a hyphen and the first 12 digits of the SHA-256 of its file. */
  String version();

  /** What it predicts. */
  Target target();

  /** The manifest's statements, one {@code key: value} a line. */
  String provenance();

  /** Whether the manifest covers such a run on a device. */
  boolean covers(RunSettings settings, Device device);

  /**
   * A prediction in which this regressor's target is its own estimate and the rest is as given.
   *
   * @param shipped prediction of another predictor for the request
   * @param features the model at the requested batch
   * @throws dev.cotenant.domain.InputException ({@code regressor-not-for-this}, {@code
   *     regressor-not-finite}, {@code regressor-too-slow}) when it does not cover the device, mode
   *     or precision, or gives no usable estimate
   */
  Prediction answer(Prediction shipped, ModelFeatures features, Device device);

  /** Frees native memory at once; otherwise that is freed when the regressor is unreachable. */
  @Override
  void close();
}
