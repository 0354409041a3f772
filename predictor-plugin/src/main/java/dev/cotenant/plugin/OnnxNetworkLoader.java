package dev.cotenant.plugin;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import dev.cotenant.domain.InputException;
import dev.cotenant.predictor.plugin.NetworkLoader;
import java.nio.FloatBuffer;
import java.util.Map;

/** Runs networks of this project by ONNX Runtime, one thread each. Found by name as a service. */
public final class OnnxNetworkLoader implements NetworkLoader {
  @Override
  public Network open(byte[] model, String name) {
    try {
      OrtEnvironment environment =
          OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
      try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
        options.setIntraOpNumThreads(1);
        options.setInterOpNumThreads(1);
        options.setDeterministicCompute(true);
        return new OnnxNetwork(environment, environment.createSession(model, options), name);
      }
    } catch (OrtException e) {
      throw failed(name, e);
    } catch (LinkageError e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "no-onnx-runtime",
          name + ": ONNX Runtime's native library does not load on this machine: " + e + ".",
          e);
    }
  }

  private static InputException failed(String name, OrtException cause) {
    return new InputException(
        InputException.Kind.MALFORMED,
        "network-unsuitable",
        name + ": ONNX Runtime refuses it: " + cause.getMessage(),
        cause);
  }

  /** One session. */
  private record OnnxNetwork(OrtEnvironment environment, OrtSession session, String name)
      implements Network {
    @Override
    public float[] run(float[] row) {
      String input = session.getInputNames().iterator().next();
      long[] shape = {1, row.length};
      try (OnnxTensor tensor = OnnxTensor.createTensor(environment, FloatBuffer.wrap(row), shape);
          OrtSession.Result result = session.run(Map.of(input, tensor))) {
        return numbers(result.get(0));
      } catch (OrtException e) {
        throw failed(name, e);
      }
    }

    private float[] numbers(OnnxValue value) {
      if (!(value instanceof OnnxTensor tensor)) {
        throw InputException.malformed(
            "network-unsuitable", name + ": its output must be a tensor of floats.");
      }
      FloatBuffer buffer = tensor.getFloatBuffer();
      float[] numbers = new float[buffer.remaining()];
      buffer.get(numbers);
      return numbers;
    }

    @Override
    public void close() {
      try {
        session.close();
      } catch (OrtException e) {
        throw failed(name, e);
      }
    }
  }
}
