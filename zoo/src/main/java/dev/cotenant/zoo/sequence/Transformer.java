package dev.cotenant.zoo.sequence;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Attention;
import dev.cotenant.zoo.layers.SequenceLayers;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * The sequence-to-sequence Transformer [Vaswani et al., NeurIPS 2017, Figure 1], both sequences of
 * one length.
 *
 * @param words of the source and of the target language
 */
public record Transformer(int words) implements Architecture.OnTokens.Body {
  /** Layers of the encoder and of the decoder, features of a token, heads [Table 3, row "base"]. */
  private static final int LAYERS = 6;

  private static final int FEATURES = 512;
  private static final int HEADS = 8;
  private static final int EXPANSION = 4;
  private static final float EPSILON = 1e-6f;

  public Architecture ofTokens(int usual, int longest) {
    return Architecture.ofTokens(usual, longest, this);
  }

  @Override
  public void addTo(GraphBuilder graph, int tokens) {
    List<Integer> dims = List.of(tokens);
    Tensor read = graph.integerInput("source", dims);
    Tensor written = graph.integerInput("target", dims);
    Tensor mask = graph.integerInput("source_mask", dims);
    SequenceLayers sequence = new SequenceLayers(graph);
    Tensor places = sequence.waves(graph.input("places", List.of(tokens, 1)), FEATURES);
    Attention attention = new Attention(sequence, HEADS);
    Tensor bias = sequence.attentionBias(mask);
    Tensor memory = embedded(sequence, read, places);
    for (int layer = 0; layer < LAYERS; layer++) {
      memory = fed(sequence, attended(sequence, memory, attention.of(memory, memory, bias)));
    }
    Tensor x = embedded(sequence, written, places);
    for (int layer = 0; layer < LAYERS; layer++) {
      x = attended(sequence, x, attention.of(x, x, null));
      x = fed(sequence, attended(sequence, x, attention.of(x, memory, bias)));
    }
    graph.output(sequence.linearWithoutBias(x, words));
  }

  private Tensor embedded(SequenceLayers sequence, Tensor numbers, Tensor places) {
    return sequence.add(
        sequence.embedding(numbers.name(), numbers.dims(), words, FEATURES), places);
  }

  private static Tensor attended(SequenceLayers sequence, Tensor x, Tensor attended) {
    return sequence.layerNorm(sequence.add(x, attended), EPSILON);
  }

  private Tensor fed(SequenceLayers sequence, Tensor x) {
    Tensor inner = sequence.relu(sequence.linear(x, EXPANSION * FEATURES));
    return attended(sequence, x, sequence.linear(inner, FEATURES));
  }
}
