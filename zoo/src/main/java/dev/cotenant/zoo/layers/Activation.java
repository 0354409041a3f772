package dev.cotenant.zoo.layers;

import dev.cotenant.zoo.onnx.AttributeProto;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import dev.cotenant.zoo.onnx.TensorData;
import java.util.List;

/** Activation functions as the PyTorch exporter writes them at opset 17. */
public enum Activation {
  RELU((graph, x) -> graph.elementwise("Relu", x)),
  RELU6((graph, x) -> {
    String low = graph.constant(TensorData.scalar(0f));
    String high = graph.constant(TensorData.scalar(6f));
    return graph.node("Clip", List.of(x.name(), low, high), x.dims());
  }),
  LEAKY_RELU((graph, x) -> graph.elementwise("LeakyRelu", x, AttributeProto.of("alpha", 0.2f))),
  SIGMOID((graph, x) -> graph.elementwise("Sigmoid", x)),
  HARD_SIGMOID((graph, x) ->
      graph.elementwise(
          "HardSigmoid", x, AttributeProto.of("alpha", 1 / 6f), AttributeProto.of("beta", 0.5f))),
  /** x · sigmoid(x); opset 17 has no operator for it. */
  SILU((graph, x) -> graph.elementwise("Mul", x, graph.elementwise("Sigmoid", x))),
  HARD_SWISH((graph, x) -> graph.elementwise("HardSwish", x)),
  TANH((graph, x) -> graph.elementwise("Tanh", x));

  /** Adds a function's operators to a graph. */
  @FunctionalInterface
  private interface Operators {
    Tensor addTo(GraphBuilder graph, Tensor x);
  }

  @SuppressWarnings("ImmutableEnumChecker") // every constant's lambda captures nothing
  private final Operators operators;

  Activation(Operators operators) {
    this.operators = operators;
  }

  Tensor addTo(GraphBuilder graph, Tensor x) {
    return operators.addTo(graph, x);
  }
}
