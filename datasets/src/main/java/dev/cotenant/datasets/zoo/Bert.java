package dev.cotenant.datasets.zoo;

import dev.cotenant.domain.InputException;
import java.util.List;
import java.util.stream.IntStream;

/** BERT-base with its pooler [Devlin et al., NAACL 2019, section 3]. */
final class Bert implements Architecture {
  private static final int VOCABULARY = 30_522;
  private static final int MAX_TOKENS = 512;
  private static final int SEGMENTS = 2;
  private static final int LAYERS = 12;
  private static final int HEADS = 12;
  private static final int HIDDEN = 768;
  private static final int INTERMEDIATE = 3072;
  private static final float EPSILON = 1e-12f;

  @Override
  public InputShape defaultInput() {
    return new InputShape.Tokens(128);
  }

  @Override
  public void addTo(GraphBuilder graph, InputShape input) {
    if (!(input instanceof InputShape.Tokens(int tokens))) {
      throw Architecture.wrongInput("a sequence of tokens", input);
    }
    if (tokens > MAX_TOKENS) {
      throw InputException.invalidArgument(
          "unsupported-input-shape",
          "BERT has " + MAX_TOKENS + " positions, not " + tokens + ": use a shorter sequence.");
    }
    List<Integer> dims = List.of(tokens);
    Tensor words = graph.integerInput("input_ids", dims);
    Tensor mask = graph.integerInput("attention_mask", dims);
    Tensor segments = graph.integerInput("token_type_ids", dims);
    SequenceLayers layers = new SequenceLayers(graph);
    Tensor x = embeddings(graph, layers, words, segments);
    Tensor bias = layers.attentionBias(mask);
    for (int layer = 0; layer < LAYERS; layer++) {
      x = encoder(layers, x, bias);
    }
    graph.output(x);
    graph.output(layers.tanh(ImageLayers.gemm(graph, layers.token(x, 0), HIDDEN)));
  }

  private static Tensor embeddings(
      GraphBuilder graph, SequenceLayers layers, Tensor words, Tensor segments) {
    int[] positions = IntStream.range(0, words.features()).toArray();
    String row = graph.constant(TensorData.vector(positions).asRow());
    Tensor word = layers.embedding(words.name(), words.dims(), VOCABULARY, HIDDEN);
    Tensor position = layers.embedding(row, words.dims(), MAX_TOKENS, HIDDEN);
    Tensor segment = layers.embedding(segments.name(), words.dims(), SEGMENTS, HIDDEN);
    return layers.layerNorm(layers.add(layers.add(word, position), segment), EPSILON);
  }

  private static Tensor encoder(SequenceLayers layers, Tensor x, Tensor bias) {
    Tensor attended = layers.linear(attention(layers, x, bias), HIDDEN);
    Tensor middle = layers.layerNorm(layers.add(x, attended), EPSILON);
    Tensor inner = layers.gelu(layers.linear(middle, INTERMEDIATE));
    return layers.layerNorm(layers.add(middle, layers.linear(inner, HIDDEN)), EPSILON);
  }

  private static Tensor attention(SequenceLayers layers, Tensor x, Tensor bias) {
    Tensor query = heads(layers, x, 0, 2, 1, 3);
    Tensor key = heads(layers, x, 0, 2, 3, 1);
    Tensor value = heads(layers, x, 0, 2, 1, 3);
    float scale = (float) Math.sqrt(HIDDEN / HEADS);
    Tensor scores = layers.withScalar("Div", layers.matMul(query, key), scale);
    Tensor weights = layers.softmax(layers.add(scores, bias));
    Tensor mixed = layers.transpose(layers.matMul(weights, value), 0, 2, 1, 3);
    return layers.joinHeads(mixed);
  }

  private static Tensor heads(SequenceLayers layers, Tensor x, int... order) {
    return layers.transpose(layers.splitHeads(layers.linear(x, HIDDEN), HEADS), order);
  }
}
