package dev.cotenant.zoo.sequence;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Attention;
import dev.cotenant.zoo.layers.SequenceLayers;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import dev.cotenant.zoo.onnx.TensorData;
import java.util.List;

/**
 * XLNet [Yang et al., NeurIPS 2019] as it is fine-tuned: one stream, attention to words and to
 * relative places, of which a sequence has twice as many as words. Left out is the attention to
 * segments, which has two entries and weighs nothing. A head has 64 features.
 *
 * @param layers transformer layers
 * @param features of a token
 */
public record XlNet(int layers, int features) implements Architecture.OnTokens.Body {
  private static final int VOCABULARY = 32_000;
  private static final int MAX_TOKENS = 4096;
  private static final int HEAD_FEATURES = 64;
  private static final int EXPANSION = 4;
  private static final float EPSILON = 1e-12f;

  public static Architecture of(int layers, int features) {
    return Architecture.ofTokens(512, MAX_TOKENS, new XlNet(layers, features));
  }

  @Override
  public void addTo(GraphBuilder graph, int tokens) {
    List<Integer> dims = List.of(tokens);
    Tensor words = graph.integerInput("input_ids", dims);
    SequenceLayers sequence = new SequenceLayers(graph);
    Tensor x = sequence.embedding(words.name(), dims, VOCABULARY, features);
    Tensor places = sequence.waves(graph.input("places", List.of(2 * tokens, 1)), features);
    for (int layer = 0; layer < layers; layer++) {
      Tensor attended = sequence.linearWithoutBias(attention(graph, x, places), features);
      Tensor middle = sequence.layerNorm(sequence.add(attended, x), EPSILON);
      Tensor inner = sequence.gelu(sequence.linear(middle, EXPANSION * features));
      x = sequence.layerNorm(sequence.add(sequence.linear(inner, features), middle), EPSILON);
    }
    graph.output(x);
  }

  private Tensor attention(GraphBuilder graph, Tensor x, Tensor places) {
    SequenceLayers sequence = new SequenceLayers(graph);
    Attention heads = new Attention(sequence, features / HEAD_FEATURES);
    Tensor query = sequence.linearWithoutBias(x, features);
    Tensor key = heads.split(sequence.linearWithoutBias(x, features), 0, 2, 3, 1);
    Tensor value = heads.split(sequence.linearWithoutBias(x, features), 0, 2, 1, 3);
    Tensor place = heads.split(sequence.linearWithoutBias(places, features), 0, 2, 3, 1);
    Tensor toWords = heads.split(sequence.bias(query), 0, 2, 1, 3);
    Tensor toPlaces = heads.split(sequence.bias(query), 0, 2, 1, 3);
    Tensor content = sequence.matMul(toWords, key);
    Tensor shifted = shifted(graph, sequence.matMul(toPlaces, place), content);
    Tensor scores = sequence.add(content, shifted);
    scores = sequence.withScalar("Mul", scores, (float) (1 / Math.sqrt(HEAD_FEATURES)));
    Tensor mixed = sequence.matMul(sequence.softmax(scores), value);
    return sequence.joinHeads(sequence.transpose(mixed, 0, 2, 1, 3));
  }

  /** Of twice as many places as words, those that a row of the scores needs. */
  private static Tensor shifted(GraphBuilder graph, Tensor scores, Tensor like) {
    int tokens = like.features();
    return graph.node(
        "Slice",
        List.of(
            scores.name(),
            graph.constant(TensorData.vector(0)),
            graph.constant(TensorData.vector(tokens)),
            graph.constant(TensorData.vector(3))),
        like.dims());
  }
}
