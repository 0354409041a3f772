package dev.cotenant.llm.serving;

import dev.cotenant.llm.memory.KvCache;
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
 *     parallelism; all 0 where graphs are off
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

  static ServingAmounts of(LanguageModel model, VllmSettings settings, ServingCard card) {
    int tensor = settings.tensor();
    int bytes = model.valueBytes();
    double tokens = settings.batchedTokens(card);
    double hidden = model.hidden();
    Experts experts = model.feedForward().experts();
    double width = experts == null ? model.feedForward().width() : experts.sharedWidth();
    int kvBytes = settings.kvValueBytes() == null ? bytes : settings.kvValueBytes();
    boolean first = settings.pipeline() > 1; // the first stage of several computes no logits
    return new ServingAmounts(
        new Weights(model).bytesPerGpu(tensor, settings.pipeline()),
        new KvCache(model, tensor, settings.pipeline(), kvBytes).pooledBytesPerToken(),
        first ? 0 : (double) settings.sequences(card) * model.vocabulary(),
        bytes,
        first ? 0 : tokens * hidden * bytes,
        tokens * bytes * (model.feedForward().matrices() * width / tensor + 4 * hidden),
        expertTensors(model, tensor, tokens),
        graphs(model, settings));
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

  private static double[] graphs(LanguageModel model, VllmSettings settings) {
    if (settings.eager()) {
      return new double[GRAPH_FEATURES];
    }
    return new double[] {
      1,
      (double) model.layers().count() / settings.pipeline(),
      model.feedForward().experts() == null ? 0 : 1,
      model.attention() instanceof Attention.Latent ? 1 : 0,
      settings.tensor() > 1 ? 1 : 0
    };
  }
}
