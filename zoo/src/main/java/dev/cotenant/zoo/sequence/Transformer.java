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
 * @param layers of the encoder and of the decoder
 * @param size of a layer
 * @param source words of the source language
 * @param target words of the target language
 */
public record Transformer(int layers, Size size, int source, int target)
    implements Architecture.OnTokens.Body {
  private static final float EPSILON = 1e-6f;

  /**
   * The size of a layer.
   *
   * @param features of a token
   * @param heads of attention
   * @param inner features between the two linear layers
   */
  public record Size(int features, int heads, int inner) {
    /** Table 3, row "base". */
    static final Size BASE = new Size(512, 8, 2048);
  }

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
    Tensor places = sequence.waves(graph.input("places", List.of(tokens, 1)), size.features());
    Attention attention = new Attention(sequence, size.heads());
    Tensor bias = sequence.attentionBias(mask);
    Tensor memory = embedded(sequence, read, source, places);
    for (int layer = 0; layer < layers; layer++) {
      memory = fed(sequence, attended(sequence, memory, attention.of(memory, memory, bias)));
    }
    Tensor x = embedded(sequence, written, target, places);
    for (int layer = 0; layer < layers; layer++) {
      x = attended(sequence, x, attention.of(x, x, null));
      x = fed(sequence, attended(sequence, x, attention.of(x, memory, bias)));
    }
    graph.output(sequence.linearWithoutBias(x, target));
  }

  private Tensor embedded(SequenceLayers sequence, Tensor words, int vocabulary, Tensor places) {
    List<Integer> dims = words.dims();
    return sequence.add(
        sequence.embedding(words.name(), dims, vocabulary, size.features()), places);
  }

  private static Tensor attended(SequenceLayers sequence, Tensor x, Tensor attended) {
    return sequence.layerNorm(sequence.add(x, attended), EPSILON);
  }

  private Tensor fed(SequenceLayers sequence, Tensor x) {
    Tensor inner = sequence.relu(sequence.linear(x, size.inner()));
    return attended(sequence, x, sequence.linear(inner, size.features()));
  }
}
