package dev.cotenant.predictor.plugin;

import dev.cotenant.domain.InputException;
import java.nio.file.Path;
import java.util.ServiceLoader;

/** Loads regressors from files; found as a service, so that its libraries come only with use. */
public interface RegressorLoader {
  /**
   * The regressor that a manifest describes, checked and tried once for each device it covers.
   *
   * @throws InputException when the manifest or the model is missing, malformed, too large, not
   *     what the manifest says, or answers nothing usable; it names the file
   */
  Regressor load(Path manifest);

  /**
   * The loader on the class path.
   *
   * @throws InputException ({@code regressors-not-installed}) when there is none
   */
  static RegressorLoader installed() {
    return ServiceLoader.load(RegressorLoader.class)
        .findFirst()
        .orElseThrow(() ->
            InputException.notFound(
                "regressors-not-installed",
                "Regressors need the module predictor-plugin: start ./cotenant, which adds it,"
                    + " or put its jar and onnxruntime's on the class path."));
  }
}
