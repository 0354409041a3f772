package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.util.Optional;

/** Which models are registered from the start. */
public interface ModelsConfiguration {
  /** Every NAME.onnx in it is registered under NAME. */
  @WithDefault("examples/models")
  Path directory();

  /** Folder with the jars of predictor-plugin and ONNX Runtime, for users' regressors. */
  Optional<Path> regressorPlugin();
}
