package dev.cotenant.datasets.zoo;

import java.util.List;

/** Activation functions as the PyTorch exporter writes them at opset 17. */
enum Activation {
  NONE {
    @Override
    Tensor addTo(GraphBuilder graph, Tensor x) {
      return x;
    }
  },
  RELU {
    @Override
    Tensor addTo(GraphBuilder graph, Tensor x) {
      return graph.elementwise("Relu", x);
    }
  },
  RELU6 {
    @Override
    Tensor addTo(GraphBuilder graph, Tensor x) {
      String low = graph.constant(TensorData.scalar(0f));
      String high = graph.constant(TensorData.scalar(6f));
      return graph.node("Clip", List.of(x.name(), low, high), x.dims());
    }
  },
  LEAKY_RELU {
    @Override
    Tensor addTo(GraphBuilder graph, Tensor x) {
      return graph.elementwise("LeakyRelu", x, Attribute.of("alpha", 0.2f));
    }
  },
  SIGMOID {
    @Override
    Tensor addTo(GraphBuilder graph, Tensor x) {
      return graph.elementwise("Sigmoid", x);
    }
  },
  HARD_SIGMOID {
    @Override
    Tensor addTo(GraphBuilder graph, Tensor x) {
      return graph.elementwise(
          "HardSigmoid", x, Attribute.of("alpha", 1 / 6f), Attribute.of("beta", 0.5f));
    }
  },
  /** x · sigmoid(x); opset 17 has no operator for it. */
  SILU {
    @Override
    Tensor addTo(GraphBuilder graph, Tensor x) {
      return graph.elementwise("Mul", x, SIGMOID.addTo(graph, x));
    }
  },
  HARD_SWISH {
    @Override
    Tensor addTo(GraphBuilder graph, Tensor x) {
      return graph.elementwise("HardSwish", x);
    }
  },
  TANH {
    @Override
    Tensor addTo(GraphBuilder graph, Tensor x) {
      return graph.elementwise("Tanh", x);
    }
  };

  abstract Tensor addTo(GraphBuilder graph, Tensor x);
}
