package dev.cotenant.zoo.sequence;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Attention;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.SequenceLayers;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * BERT [Devlin et al., NAACL 2019, section 3] and its smaller releases [Turc et al.,
 * arXiv:1908.08962]; a head has 64 features.
 *
 * @param layers transformer layers
 * @param hidden features of a token
 * @param vocabulary entries of the word embedding
 * @param head what comes after the last layer
 */
public record Bert(int layers, int hidden, int vocabulary, Head head)
    implements Architecture.OnTokens.Body {
  public static final int MAX_TOKENS = 512;

  /** Entries of the embedding for lower-cased English. */
  public static final int UNCASED = 30_522;

  /** Entries of the embedding for English as written. */
  public static final int CASED = 28_996;

  private static final int SEGMENTS = 2;
  private static final int HEAD_FEATURES = 64;
  private static final int EXPANSION = 4;
  private static final float EPSILON = 1e-12f;

  /** What comes after the last layer. */
  public enum Head {
    /** A linear layer on the first token. */
    POOLER,
    /**
     * Scores of all words for every token, with the word embedding's weights; attention is fused,
     * as Hugging Face's has been since 2024.
     */
    MASKED_WORDS;

    Attention.Kind attention() {
      return switch (this) {
        case POOLER -> Attention.Kind.WRITTEN_OUT;
        case MASKED_WORDS -> Attention.Kind.FUSED;
      };
    }
  }

  public static Architecture of(int layers, int hidden) {
    return Architecture.ofTokens(128, MAX_TOKENS, new Bert(layers, hidden, UNCASED, Head.POOLER));
  }

  /** As it is trained from scratch, on sequences of full length. */
  public static Architecture pretraining(int layers, int hidden) {
    return Architecture.ofTokens(
        MAX_TOKENS, MAX_TOKENS, new Bert(layers, hidden, CASED, Head.MASKED_WORDS));
  }

  @Override
  public void addTo(GraphBuilder graph, int tokens) {
    List<Integer> dims = List.of(tokens);
    Tensor words = graph.integerInput("input_ids", dims);
    Tensor mask = graph.integerInput("attention_mask", dims);
    Tensor segments = graph.integerInput("token_type_ids", dims);
    SequenceLayers sequence = new SequenceLayers(graph);
    String position = sequence.positions(tokens);
    String table = sequence.table(vocabulary, hidden);
    Tensor word = sequence.rows(table, words.name(), dims, hidden);
    Tensor place = sequence.embedding(position, dims, MAX_TOKENS, hidden);
    Tensor segment = sequence.embedding(segments.name(), dims, SEGMENTS, hidden);
    Tensor x = sequence.layerNorm(sequence.add(sequence.add(word, place), segment), EPSILON);
    Tensor bias = sequence.attentionBias(mask);
    for (int layer = 0; layer < layers; layer++) {
      x = encoder(sequence, x, bias);
    }
    switch (head) {
      case POOLER -> {
        graph.output(x);
        graph.output(sequence.tanh(ImageLayers.gemm(graph, sequence.token(x, 0), hidden)));
      }
      case MASKED_WORDS -> {
        Tensor predicted = sequence.layerNorm(sequence.gelu(sequence.linear(x, hidden)), EPSILON);
        graph.output(sequence.bias(sequence.scores(predicted, table, vocabulary)));
      }
    }
  }

  private Tensor encoder(SequenceLayers sequence, Tensor x, Tensor bias) {
    Attention attention = new Attention(sequence, hidden / HEAD_FEATURES, head.attention());
    Tensor attended = attention.of(x, x, bias);
    Tensor middle = sequence.layerNorm(sequence.add(x, attended), EPSILON);
    Tensor inner = sequence.gelu(sequence.linear(middle, EXPANSION * hidden));
    return sequence.layerNorm(sequence.add(middle, sequence.linear(inner, hidden)), EPSILON);
  }
}
