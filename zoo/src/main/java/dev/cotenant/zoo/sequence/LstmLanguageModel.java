package dev.cotenant.zoo.sequence;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.SequenceLayers;
import dev.cotenant.zoo.onnx.AttributeProto;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import dev.cotenant.zoo.onnx.TensorData;
import java.util.List;

/**
 * A word-level language model: embedding, layers of LSTM, and scores of all words for every token,
 * as in PyTorch's example {@code word_language_model}.
 *
 * @param vocabulary words
 * @param features of an embedding and of the state
 * @param layers LSTM layers
 */
public record LstmLanguageModel(int vocabulary, int features, int layers)
    implements Architecture.OnTokens.Body {
  /** Any sequence will do; this is more than anybody unrolls. */
  public static final int MAX_TOKENS = 1 << 16;

  /** Words of WikiText-2 [Merity et al., ICLR 2017, Table 1]. */
  public static final int WIKITEXT_2 = 33_278;

  private static final int GATES = 4;

  public Architecture ofTokens(int usual) {
    return Architecture.ofTokens(usual, MAX_TOKENS, this);
  }

  @Override
  public void addTo(GraphBuilder graph, int tokens) {
    SequenceLayers sequence = new SequenceLayers(graph);
    Tensor words = graph.integerInput("input", List.of(tokens));
    Tensor x = sequence.embedding(words.name(), words.dims(), vocabulary, features);
    for (int layer = 0; layer < layers; layer++) {
      x = lstm(graph, x);
    }
    Tensor scores = sequence.linear(x, vocabulary);
    graph.output(graph.elementwise("LogSoftmax", scores, AttributeProto.of("axis", -1)));
  }

  /** The operator wants the batch second, so the axes are swapped around it. */
  private Tensor lstm(GraphBuilder graph, Tensor x) {
    int tokens = x.dims().getFirst();
    int gates = GATES * features;
    Tensor turned = swapped(graph, x.name(), x.dims());
    String input = graph.weight(graph.unique("onnx::LSTM"), 1, gates, x.features());
    String state = graph.weight(graph.unique("onnx::LSTM"), 1, gates, features);
    String bias = graph.weight(graph.unique("onnx::LSTM"), 1, 2 * gates);
    Tensor steps =
        graph.node(
            "LSTM",
            List.of(turned.name(), input, state, bias),
            List.of(tokens, 1, features),
            AttributeProto.of("direction", "forward"),
            AttributeProto.of("hidden_size", features));
    Tensor joined = joined(graph, steps, tokens);
    return swapped(graph, joined.name(), joined.dims());
  }

  /** Drops the directions axis, which has length 1. */
  private Tensor joined(GraphBuilder graph, Tensor steps, int tokens) {
    Tensor ordered =
        graph.node(
            "Transpose",
            List.of(steps.name()),
            steps.dims(),
            AttributeProto.ofAll("perm", 0, 2, 1, 3));
    String shape = graph.constant(TensorData.vector(0, 0, features));
    return graph.node("Reshape", List.of(ordered.name(), shape), List.of(tokens, features));
  }

  private static Tensor swapped(GraphBuilder graph, String name, List<Integer> dims) {
    return graph.node("Transpose", List.of(name), dims, AttributeProto.ofAll("perm", 1, 0, 2));
  }
}
