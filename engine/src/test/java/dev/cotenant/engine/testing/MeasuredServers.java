package dev.cotenant.engine.testing;

import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.LearnedServing;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.ServingParts;
import dev.cotenant.llm.serving.ServingRun;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.source.ModelDescription;
import java.nio.charset.StandardCharsets;

/** Starts of one server as they could be measured. */
public final class MeasuredServers {
  public static final String REFERENCE = "meta-llama/Llama-3.1-8B";

  /** The model of {@link #REFERENCE}. */
  public static final String DESCRIPTION =
      """
      {"references": ["%s"],
       "config": {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
         "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
         "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": false,
         "torch_dtype": "bfloat16"},
       "weights": {"bytes_by_type": {"BF16": 16060522496}, "parameters": 8030261248,
         "tensors": 291}}
      """
          .formatted(REFERENCE);

  private static final double GIB = 1L << 30;

  private MeasuredServers() {}

  /** The model. */
  public static LanguageModel model() {
    return ModelDescription.read(DESCRIPTION.getBytes(StandardCharsets.UTF_8), "llama").model();
  }

  /** The shipped prediction on an H100 of 80 GB. */
  public static ServingParts shipped(VllmVersion version) {
    return ServingParts.of(
        LearnedServing.NONE.coefficients(version), model(), VllmSettings.of(version), card());
  }

  private static ServingCard card() {
    return new ServingCard("h100-80gb", 79.19 * GIB);
  }

  /**
   * A start.
   *
   * @param moreContext GiB beyond the shipped context
   */
  public static ServingRun run(VllmVersion version, double moreContext) {
    ServingParts parts = shipped(version);
    return new ServingRun(
        "x",
        "llama",
        model(),
        VllmSettings.of(version),
        card(),
        new ServingRun.Measured(
            parts.context() + moreContext * GIB,
            parts.weights(),
            parts.activation(),
            parts.nonTorch(),
            parts.graphs(),
            Double.NaN,
            parts.kvCache(),
            parts.tokens(parts.kvCache())),
        new ServingRun.Planner(Double.NaN, Double.NaN, Double.NaN, Double.NaN));
  }
}
