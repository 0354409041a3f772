package dev.cotenant.zoo.sequence;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Attention;
import dev.cotenant.zoo.layers.SequenceLayers;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * GPT-2 [Radford et al., 2019, Table 2] with its language-modelling head, whose weights are the
 * word embedding's; a head of attention has 64 features. The mask that hides later words is left
 * out: it costs nothing. Attention is fused, as Hugging Face's has been since 2024.
 *
 * @param layers transformer layers
 * @param features of a token
 */
public record Gpt2(int layers, int features) implements Architecture.OnTokens.Body {
  private static final int VOCABULARY = 50_257;
  private static final int MAX_TOKENS = 1024;
  private static final int HEAD_FEATURES = 64;
  private static final int EXPANSION = 4;
  private static final float EPSILON = 1e-5f;

  public static Architecture of(int layers, int features) {
    return Architecture.ofTokens(MAX_TOKENS, MAX_TOKENS, new Gpt2(layers, features));
  }

  @Override
  public void addTo(GraphBuilder graph, int tokens) {
    List<Integer> dims = List.of(tokens);
    Tensor words = graph.integerInput("input_ids", dims);
    Tensor padding = graph.integerInput("attention_mask", dims);
    SequenceLayers sequence = new SequenceLayers(graph);
    String table = sequence.table(VOCABULARY, features);
    Tensor word = sequence.rows(table, words.name(), dims, features);
    Tensor x =
        sequence.add(
            word, sequence.embedding(sequence.positions(tokens), dims, MAX_TOKENS, features));
    Tensor mask = sequence.attentionBias(padding);
    for (int layer = 0; layer < layers; layer++) {
      x = block(sequence, x, mask);
    }
    graph.output(sequence.scores(sequence.layerNorm(x, EPSILON), table, VOCABULARY));
  }

  private Tensor block(SequenceLayers sequence, Tensor x, Tensor mask) {
    Tensor attended = attention(sequence, sequence.layerNorm(x, EPSILON), mask);
    Tensor middle = sequence.add(attended, x);
    Tensor inner = sequence.linear(sequence.layerNorm(middle, EPSILON), EXPANSION * features);
    return sequence.add(middle, sequence.linear(sequence.gelu(inner), features));
  }

  /** One linear layer gives queries, keys and values together. */
  private Tensor attention(SequenceLayers sequence, Tensor x, Tensor mask) {
    Attention attention = new Attention(sequence, features / HEAD_FEATURES, Attention.Kind.FUSED);
    List<Tensor> parts = sequence.thirds(sequence.linear(x, 3 * features));
    Tensor query = attention.split(parts.get(0), 0, 2, 1, 3);
    Tensor key = attention.split(parts.get(1), 0, 2, 3, 1);
    Tensor value = attention.split(parts.get(2), 0, 2, 1, 3);
    return sequence.linear(attention.mixed(query, key, value, mask), features);
  }
}
