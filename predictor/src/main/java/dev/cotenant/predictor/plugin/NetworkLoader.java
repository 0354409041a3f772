package dev.cotenant.predictor.plugin;

import dev.cotenant.domain.InputException;
import java.util.ServiceLoader;

/** Opens networks of this project; found as a service, so that its libraries come only with use. */
public interface NetworkLoader {
  /**
   * A network of one input, a row of numbers, and one output.
   *
   * @param model an ONNX file
   * @param name name of the file in messages
   * @throws InputException ({@code network-unsuitable}, {@code no-onnx-runtime}) naming it
   */
  Network open(byte[] model, String name);

  /** A network. Thread safe. */
  interface Network extends AutoCloseable {
    /** Output values for a row, flattened. */
    float[] run(float[] row);

    @Override
    void close();
  }

  /**
   * The loader on the class path.
   *
   * @throws InputException ({@code networks-not-installed}) when there is none
   */
  static NetworkLoader installed() {
    return ServiceLoader.load(NetworkLoader.class)
        .findFirst()
        .orElseThrow(() ->
            InputException.notFound(
                "networks-not-installed",
                "Trained placements need the module predictor-plugin and ONNX Runtime: ./cotenant"
                    + " lab run adds both."));
  }
}
