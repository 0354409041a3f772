package dev.cotenant.llm.serving;

import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.FeedForward.Experts;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Quantization;

/**
 * The amounts of one server that formulas multiply with coefficients; bytes on the first GPU.
 *
 * @param weights weights
 * @param kvPerToken KV cache of a token
 * @param logits entries of the sampler's largest batch: sequences times vocabulary
 * @param valueBytes bytes of a value
 * @param embedded the tokens of a batch, embedded
 * @param forward the widest layer's tensors for a batch of tokens
 * @param experts tensors of routed experts for a batch of tokens
 * @param graphs features of CUDA graphs: 1, layers of a stage, experts, latent attention, tensor
 *     parallelism, each by the share of captured batches in those up to 512; all 0 where graphs are
 *     off
 */
@SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
record ServingAmounts(
    double weights,
    double kvPerToken,
    double logits,
    int valueBytes,
    double embedded,
    double forward,
    double experts,
    double[] graphs) {
  static final int GRAPH_FEATURES = 5;

  /** Sequences of the largest graph; at most twice the sequences of a batch. */
  private static final int MAX_GRAPH_SEQUENCES = 512;

  /** The architecture for which vLLM doubles it [vLLM, model_executor/models/config.py]. */
  private static final String MANY_GRAPHS = "gpt_oss";

  /** On the first GPU. */
  static ServingAmounts of(LanguageModel model, VllmSettings settings, ServingCard card) {
    return of(model, settings, card, settings.pipeline() == 1);
  }

  /**
   * Amounts on a GPU of a stage.
   *
   * @param samples whether it is the last stage, which computes logits
   */
  static ServingAmounts of(
      LanguageModel model, VllmSettings settings, ServingCard card, boolean samples) {
    int tensor = settings.tensor();
    int bytes = model.valueBytes();
    double tokens = settings.batchedTokens(model, card);
    double hidden = model.hidden();
    Experts experts = model.feedForward().experts();
    double width = experts == null ? model.feedForward().width() : experts.sharedWidth();
    return new ServingAmounts(
        new Weights(model).bytesPerGpu(tensor, settings.pipeline()),
        settings.kvCache(model).pooledBytesPerToken(),
        samples ? (double) settings.sequences(card) * model.vocabulary() : 0,
        bytes,
        samples ? tokens * hidden * bytes : 0,
        tokens * bytes * (model.feedForward().matrices() * width / tensor + 4 * hidden),
        expertTensors(model, tensor, tokens),
        graphs(model, settings, card));
  }

  private static double expertTensors(LanguageModel model, int tensor, double tokens) {
    Experts experts = model.feedForward().experts();
    if (experts == null || model.quantization().equals(Quantization.MXFP4)) {
      return 0; // its kernels gather nothing
    }
    return tokens
        * experts.perToken()
        * (2.0 * experts.width() / tensor + model.hidden())
        * model.valueBytes();
  }

  private static double[] graphs(LanguageModel model, VllmSettings settings, ServingCard card) {
    if (settings.eager()) {
      return new double[GRAPH_FEATURES];
    }
    int largest = model.type().equals(MANY_GRAPHS) ? 2 * MAX_GRAPH_SEQUENCES : MAX_GRAPH_SEQUENCES;
    double share =
        sizes(Math.min(largest, 2 * settings.sequences(card))) / sizes(MAX_GRAPH_SEQUENCES);
    return new double[] {
      share,
      share * model.layers().count() / settings.pipeline(),
      model.feedForward().experts() == null ? 0 : share,
      model.attention() instanceof Attention.Latent ? share : 0,
      settings.tensor() > 1 ? share : 0
    };
  }

  /** Batches that graphs are captured for: 1, 2, 4, each 8th below 256 and each 16th from there. */
  static double sizes(int largest) {
    int tiny = largest >= 4 ? 3 : largest >= 2 ? 2 : 1;
    int small = Math.min(largest, 255) / 8;
    return tiny + small + (largest < 256 ? 0 : (largest - 256) / 16 + 1);
  }
}
