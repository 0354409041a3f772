package dev.cotenant.lab.reinforcement;

import dev.cotenant.lab.reinforcement.Environment.Shape;
import dev.cotenant.zoo.onnx.AttributeProto;
import dev.cotenant.zoo.onnx.DataType;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import dev.cotenant.zoo.onnx.TensorData;
import java.util.List;

/**
 * An actor's network as an ONNX graph: input {@code state}, and one output, the chances of every
 * option by head. Numbers are stored in 16 bits, so that a file takes half the room.
 */
final class PolicyGraph {
  private final GraphBuilder graph = new GraphBuilder();

  private PolicyGraph() {}

  static byte[] of(Shape shape, DenseNetwork actor) {
    return new PolicyGraph().write(shape, actor);
  }

  private byte[] write(Shape shape, DenseNetwork actor) {
    Tensor last = graph.input("state", List.of(shape.state()));
    for (int layer = 0; layer < actor.layers(); layer++) {
      last = dense(last, actor.weights(layer), actor.biases(layer));
      if (layer < actor.layers() - 1) {
        last = graph.elementwise("Relu", last);
      }
    }
    last = graph.reshape(last, List.of(shape.heads(), shape.options()));
    graph.output(graph.elementwise("Softmax", last, AttributeProto.of("axis", -1)));
    return graph.toOnnx("placement-policy");
  }

  private Tensor dense(Tensor input, float[][] weights, float[] biases) {
    String matrix =
        stored(TensorData.halves(List.of(weights.length, biases.length), flat(weights)));
    String vector = stored(TensorData.halves(List.of(biases.length), biases));
    return graph.node("Gemm", List.of(input.name(), matrix, vector), List.of(biases.length));
  }

  private String stored(TensorData data) {
    String halves = graph.constant(data);
    return graph
        .node("Cast", List.of(halves), data.dims(), AttributeProto.of("to", DataType.FLOAT.code()))
        .name();
  }

  private static float[] flat(float[][] rows) {
    float[] all = new float[rows.length * rows[0].length];
    for (int i = 0; i < rows.length; i++) {
      System.arraycopy(rows[i], 0, all, i * rows[i].length, rows[i].length);
    }
    return all;
  }
}
