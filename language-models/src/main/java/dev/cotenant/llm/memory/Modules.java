package dev.cotenant.llm.memory;

import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.LanguageModel;
import java.util.List;
import java.util.Locale;

/**
 * The linear modules of a model that an adapter may target.
 *
 * @param matrices one for each kind
 */
public record Modules(List<Matrix> matrices) {
  public Modules {
    matrices = List.copyOf(matrices);
  }

  /**
   * A kind of linear module.
   *
   * @param inputs width of its input
   * @param outputs width of its output
   * @param count how many the model has
   */
  public record Matrix(double inputs, double outputs, double count) {}

  /**
   * The matrices that names of modules select, such as {@code q_proj} or {@code all-linear}; {@link
   * #unknown} names select nothing.
   */
  public static Modules of(LanguageModel model, List<String> names) {
    return new Modules(names.stream().flatMap(name -> named(model, name).stream()).toList());
  }

  /** Names that select no matrix. */
  public static List<String> unknown(LanguageModel model, List<String> names) {
    return names.stream()
        .filter(name -> !name.isEmpty() && named(model, name).isEmpty())
        .distinct()
        .toList();
  }

  private static List<Matrix> named(LanguageModel model, String name) {
    double hidden = model.hidden();
    double layers = model.layers().count();
    double width = model.feedForward().width();
    double queries;
    double keys;
    switch (model.attention()) {
      case Attention.Grouped(int heads, int kvHeads, int dim, boolean _) -> {
        queries = (double) heads * dim;
        keys = (double) kvHeads * dim;
      }
      case Attention.Latent latent -> {
        queries = (double) latent.heads() * (latent.plainDim() + latent.rotaryDim());
        keys = latent.kvRank();
      }
    }
    Matrix query = new Matrix(hidden, queries, layers);
    Matrix key = new Matrix(hidden, keys, layers);
    Matrix output = new Matrix(queries, hidden, layers);
    Matrix up = new Matrix(hidden, width, layers);
    Matrix down = new Matrix(width, hidden, layers);
    String plain = name.toLowerCase(Locale.ROOT);
    return switch (plain.substring(plain.lastIndexOf('.') + 1)) {
      case "q_proj", "query", "wq" -> List.of(query);
      case "k_proj", "v_proj", "key", "value", "wk", "wv" -> List.of(key);
      case "o_proj", "out_proj", "projection", "wo", "self_attn" -> List.of(output);
      case "qkv_proj", "c_attn", "query_key_value" ->
          List.of(new Matrix(hidden, queries + 2 * keys, layers));
      case "gate_proj", "up_proj", "w1", "w2", "w3", "fc1", "dense_h_to_4h" -> List.of(up);
      case "gate_up_proj" -> List.of(new Matrix(hidden, 2 * width, layers));
      case "down_proj", "fc2", "dense_4h_to_h" -> List.of(down);
      case "mlp" -> model.feedForward().gated() ? List.of(up, up, down) : List.of(up, down);
      case "lm_head", "head", "embed_tokens", "embed_in", "embed_out", "wte" ->
          List.of(new Matrix(hidden, model.vocabulary(), 1));
      case "all-linear" ->
          model.feedForward().gated()
              ? List.of(query, key, key, output, up, up, down)
              : List.of(query, key, key, output, up, down);
      default -> List.of();
    };
  }

  /** Summed widths of the inputs. */
  public double inputs() {
    return matrices.stream().mapToDouble(m -> m.count() * m.inputs()).sum();
  }

  /** Weights of the matrices. */
  public double weights() {
    return matrices.stream().mapToDouble(m -> m.count() * m.inputs() * m.outputs()).sum();
  }

  /** Parameters of low-rank adapters on all of them. */
  public double adapterParameters(int rank) {
    return matrices.stream().mapToDouble(m -> m.count() * rank * (m.inputs() + m.outputs())).sum();
  }
}
