package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.FeedForward;
import dev.cotenant.llm.model.FeedForward.Experts;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.LanguageModel.Positions;
import dev.cotenant.llm.model.Layers;
import dev.cotenant.llm.source.Architecture.Trait;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code config.json} of a Hugging Face model. Names of one quantity differ by architecture;
 * {@code auto_map} is ignored, so no code of a model ever runs.
 */
final class ConfigReader {
  private static final int WIDTH = SourceLimits.MAX_WIDTH;

  /** What vLLM takes where a model states no longest sequence. */
  private static final int DEFAULT_POSITIONS = 2048;

  private static final Set<String> UNSCALED = Set.of("su", "longrope", "llama3");

  private final JsonFields top;
  private final JsonFields text;
  private final String type;
  private final Architecture architecture;
  private final List<String> warnings = new ArrayList<>();

  private ConfigReader(JsonFields top) {
    this.top = top;
    this.text =
        top.object("text_config")
            .or(() -> top.object("llm_config"))
            .or(() -> top.object("language_config"))
            .map(inner -> over(top, inner))
            .orElse(top);
    this.type = PlainText.of(top.text("model_type").orElse("unknown"));
    this.architecture = Architecture.of(type);
  }

  private static JsonFields over(JsonFields top, JsonFields inner) {
    Map<String, @Nullable Object> merged = new LinkedHashMap<>(top.values());
    merged.putAll(inner.values());
    return new JsonFields(inner.place(), merged);
  }

  /**
   * The model of a configuration, without stored weights.
   *
   * @param name of the model
   * @throws InputException ({@code bad-model-config}) naming the field
   */
  static LanguageModel read(JsonFields config, String name) {
    return new ConfigReader(config).model(name);
  }

  private LanguageModel model(String name) {
    int hidden = require(WIDTH, "hidden_size", "n_embd", "d_model");
    int count =
        require(SourceLimits.MAX_LAYERS, "num_hidden_layers", "n_layer", "num_layers", "n_layers");
    Attention attention = attention(hidden);
    long stated = stated();
    long longest = stated == 0 ? DEFAULT_POSITIONS : stated;
    Layers layers = new LayerKinds(text, architecture, count, longest).layers();
    FeedForward feedForward = feedForward(hidden, count);
    if (!architecture.known()) {
      warnings.add(Architecture.unknown(type));
    }
    if (layers.linear() > 0) {
      warnings.add(
          layers.linear() + " layers of linear attention: their state and workspace are not known");
    }
    return new LanguageModel(
        name,
        type,
        hidden,
        layers,
        attention,
        feedForward,
        positions(hidden, longest, stated > 0, attention, layers),
        require(WIDTH, "vocab_size", "padded_vocab_size"),
        tied(),
        top.object("vision_config").map(vision -> vision(vision, hidden)).orElse(0L),
        bytesOfValue(),
        QuantizationReader.read(text.has("quantization_config") ? text : top, warnings),
        null,
        null,
        warnings);
  }

  private int require(int most, String... keys) {
    return text.firstWhole(1, most, keys)
        .orElseThrow(() ->
            InputException.malformed(
                "bad-model-config",
                text.place() + ": lacks " + keys[0] + "; name the folder of a language model."));
  }

  private boolean tied() {
    return text.truth("tie_word_embeddings").orElse(architecture.is(Trait.TIED));
  }

  /** Types that a file may state; others run in half precision. */
  private int bytesOfValue() {
    String dtype =
        text.text("torch_dtype")
            .or(() -> text.text("dtype"))
            .or(() -> top.text("torch_dtype"))
            .orElse("bfloat16");
    return dtype.endsWith("float32") || dtype.equals("float") ? 4 : 2;
  }

  private Attention attention(int hidden) {
    int heads = require(WIDTH, "num_attention_heads", "n_head", "n_heads");
    if (text.has("kv_lora_rank")) {
      return new Attention.Latent(
          heads,
          require(WIDTH, "kv_lora_rank"),
          text.firstWhole(0, WIDTH, "q_lora_rank").orElse(0),
          text.firstWhole(0, WIDTH, "qk_nope_head_dim").orElse(0),
          require(WIDTH, "qk_rope_head_dim"),
          require(WIDTH, "v_head_dim"));
    }
    int kvHeads = kvHeads(heads);
    if (kvHeads > heads || heads % kvHeads != 0) {
      throw InputException.malformed(
          "bad-model-config",
          text.place() + ": " + heads + " attention heads cannot share " + kvHeads + " KV heads.");
    }
    int headDim =
        text.firstWhole(1, WIDTH, "head_dim", "kv_channels", "attention_head_dim")
            .orElseGet(() -> dividedBy(hidden, heads));
    boolean bias =
        architecture.is(Trait.BIASED)
            || text.truth("attention_bias").or(() -> text.truth("qkv_bias")).orElse(false);
    return new Attention.Grouped(heads, kvHeads, headDim, bias);
  }

  private int dividedBy(int hidden, int heads) {
    if (hidden % heads != 0) {
      throw InputException.malformed(
          "bad-model-config",
          text.place() + ": hidden_size " + hidden + " is not a multiple of " + heads + " heads.");
    }
    return hidden / heads;
  }

  private int kvHeads(int heads) {
    boolean oneForAll =
        text.truth("multi_query").orElse(false)
            && !text.truth("new_decoder_architecture").orElse(false);
    return text.firstWhole(
            1, WIDTH, "num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num")
        .orElse(oneForAll ? 1 : heads);
  }

  private FeedForward feedForward(int hidden, int layers) {
    boolean gated = !architecture.is(Trait.PLAIN);
    int width =
        text.firstWhole(
                1,
                WIDTH,
                "intermediate_size_mlp",
                "intermediate_size",
                "n_inner",
                "ffn_dim",
                "ffn_hidden_size")
            .orElse(Math.multiplyExact(4, hidden));
    if (type.equals("qwen")) {
      width = Math.ceilDiv(width, 2); // twice the width of each projection
    }
    return new FeedForward(width, gated, experts(width, layers));
  }

  private @Nullable Experts experts(int dense, int layers) {
    int count =
        text.firstWhole(
                0, SourceLimits.MAX_EXPERTS, "num_experts", "num_local_experts", "n_routed_experts")
            .orElse(0);
    if (count < 2) {
      return null;
    }
    int perToken =
        Math.min(
            count,
            text.firstWhole(
                    1, count, "num_experts_per_tok", "experts_per_token", "moe_topk", "top_k")
                .orElse(1));
    int width =
        text.firstWhole(
                1, WIDTH, "moe_intermediate_size", "expert_intermediate_size", "intermediate_size")
            .orElse(dense);
    int shared =
        text.firstWhole(0, WIDTH, "shared_expert_intermediate_size")
            .orElseGet(() ->
                Math.multiplyExact(
                    width,
                    text.firstWhole(0, 64, "n_shared_experts", "num_shared_experts")
                        .orElse(type.startsWith("llama4") ? 1 : 0)));
    return new Experts(count, perToken, width, shared, layersWithExperts(layers));
  }

  private int layersWithExperts(int layers) {
    int step =
        text.firstWhole(
                1,
                SourceLimits.MAX_LAYERS,
                "interleave_moe_layer_step",
                "decoder_sparse_step",
                "moe_layer_freq")
            .orElse(1);
    int dense = text.firstWhole(0, layers, "first_k_dense_replace").orElse(0);
    int listed = text.values().get("mlp_only_layers") instanceof List<?> list ? list.size() : 0;
    return Math.max(0, (layers - dense) / step - listed);
  }

  /** Positions before scaling; 0 where none are stated. */
  private long stated() {
    for (String key :
        List.of(
            "max_position_embeddings",
            "n_positions",
            "seq_length",
            "max_sequence_length",
            "n_ctx")) {
      var found = text.whole(key, 1, SourceLimits.MAX_POSITIONS);
      if (found.isPresent()) {
        return found.get();
      }
    }
    return 0;
  }

  private Positions positions(
      int hidden, long longest, boolean limited, Attention attention, Layers layers) {
    if (architecture.is(Trait.LEARNED_POSITIONS)) {
      return new Positions(longest, longest, hidden, limited);
    }
    int dim =
        switch (attention) {
          case Attention.Latent latent -> latent.rotaryDim();
          case Attention.Grouped grouped -> (int) Math.ceil(grouped.headDim() * rotaryShare());
        };
    JsonFields scaling =
        text.object("rope_scaling").or(() -> text.object("rope_parameters")).orElse(null);
    if (scaling == null) {
      return new Positions(longest, longest, dim, limited);
    }
    double factor = scaling.number("factor", 1, 1e6).orElse(1.0);
    String kind = scaling.text("rope_type").or(() -> scaling.text("type")).orElse("");
    long rows =
        switch (kind) {
          case "linear" -> (long) (longest * factor) + (layers.windowed() > 0 ? longest : 0);
          case "yarn" ->
              (long)
                  (scaling
                          .whole("original_max_position_embeddings", 1, SourceLimits.MAX_POSITIONS)
                          .orElse(longest)
                      * factor);
          default -> longest;
        };
    return new Positions(scaled(longest, kind, scaling), Math.max(1, rows), dim, limited);
  }

  /** The longest sequence with scaled positions [vLLM, config: _get_and_verify_max_len]. */
  private long scaled(long longest, String kind, JsonFields scaling) {
    if (UNSCALED.contains(kind) || type.startsWith("gemma3")) {
      return longest; // these state it scaled
    }
    long original =
        kind.equals("yarn")
            ? scaling
                .whole("original_max_position_embeddings", 1, SourceLimits.MAX_POSITIONS)
                .orElse(longest)
            : longest;
    double factor = scaling.number("factor", 1, 1e6).orElse(1.0);
    return Math.min(SourceLimits.MAX_POSITIONS, (long) (original * factor));
  }

  private double rotaryShare() {
    return text.number("partial_rotary_factor", 0, 1)
        .or(() -> text.number("rotary_pct", 0, 1))
        .orElse(1.0);
  }

  /** A vision transformer, its patches and a projection to the text model. */
  private long vision(JsonFields vision, int hidden) {
    int width = vision.firstWhole(1, WIDTH, "hidden_size", "embed_dim").orElse(0);
    if (width == 0) {
      warnings.add("its vision_config lacks hidden_size: the vision tower is not counted");
      return 0;
    }
    long layers =
        vision.firstWhole(1, SourceLimits.MAX_LAYERS, "num_hidden_layers", "depth").orElse(24);
    long inner = vision.firstWhole(1, WIDTH, "intermediate_size").orElse(4 * width);
    long patch = vision.firstWhole(1, WIDTH, "patch_size").orElse(14);
    long side = vision.firstWhole(1, WIDTH, "image_size").orElse(448) / patch;
    long output = vision.firstWhole(1, WIDTH, "vision_output_dim").orElse(width);
    long input = vision.firstWhole(1, WIDTH, "projector_input_dim").orElse(0);
    double parameters =
        (double) layers * (4.0 * width * width + 2.0 * width * inner)
            + 3.0 * patch * patch * width
            + (double) side * side * width
            + (double) input * (width + output)
            + (double) output * hidden;
    return (long) parameters;
  }
}
