package dev.cotenant.features;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.graph.Node;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The shapes that ONNX Runtime produces when it runs a model: the oracle.
 *
 * <p>Every value that a node of the graph computes is made an output. Protobuf merges a message
 * that occurs twice, so a second graph that holds nothing but outputs is appended to the file.
 */
final class ExecutedShapes {
  private static final int GRAPH = 7;

  private ExecutedShapes() {}

  /**
   * Runs a model on ones.
   *
   * @param extents of the inputs, by name; those that a model fixes need none, the others are 1
   * @return extents of every tensor that was computed, by name
   */
  static Map<String, long[]> of(byte[] model, Map<String, long[]> extents) throws OrtException {
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    Map<String, long[]> shapes = new LinkedHashMap<>();
    try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
      options.setOptimizationLevel(OrtSession.SessionOptions.OptLevel.NO_OPT);
      options.setIntraOpNumThreads(1);
      Map<String, OnnxTensor> inputs = new LinkedHashMap<>();
      try (OrtSession session = environment.createSession(withAllOutputs(model), options)) {
        for (NodeInfo input : session.getInputInfo().values()) {
          TensorInfo info = (TensorInfo) input.getInfo();
          long[] declared = extents.getOrDefault(input.getName(), info.getShape());
          long[] shape = Arrays.stream(declared).map(extent -> Math.max(1, extent)).toArray();
          inputs.put(input.getName(), ones(environment, info.type, shape));
        }
        try (OrtSession.Result result = session.run(inputs)) {
          for (Map.Entry<String, OnnxValue> each : result) {
            if (each.getValue() instanceof OnnxTensor tensor) {
              shapes.put(each.getKey(), tensor.getInfo().getShape());
            }
          }
        }
      } finally {
        inputs.values().forEach(OnnxTensor::close);
      }
    }
    return shapes;
  }

  private static OnnxTensor ones(OrtEnvironment environment, OnnxJavaType type, long[] shape)
      throws OrtException {
    int count = 1;
    for (long extent : shape) {
      count = Math.multiplyExact(count, Math.toIntExact(extent));
    }
    ByteBuffer data = ByteBuffer.allocateDirect(count * type.size).order(ByteOrder.nativeOrder());
    while (data.hasRemaining()) {
      switch (type) {
        case FLOAT -> data.putFloat(1);
        case DOUBLE -> data.putDouble(1);
        case INT64 -> data.putLong(1);
        case INT32 -> data.putInt(1);
        default -> data.put((byte) 1);
      }
    }
    return OnnxTensor.createTensor(environment, data.flip(), shape, type);
  }

  private static byte[] withAllOutputs(byte[] model) {
    Graph graph = new OnnxGraphReader(ReaderLimits.DEFAULT).read(model, "oracle").graph();
    Set<String> wanted = new LinkedHashSet<>();
    for (Node node : graph.nodes()) {
      for (int i = 0; i < node.outputCount(); i++) {
        if (node.output(i) != InternedNames.NONE && !node.operator().equals("Constant")) {
          wanted.add(graph.valueName(node.output(i)));
        }
      }
    }
    for (int i = 0; i < graph.outputCount(); i++) {
      wanted.remove(graph.valueName(graph.output(i)));
    }
    ByteArrayOutputStream extended = new ByteArrayOutputStream();
    extended.writeBytes(model);
    extended.writeBytes(
        new OnnxBytes().message(GRAPH, outputs -> wanted.forEach(outputs::output)).toBytes());
    return extended.toByteArray();
  }
}
