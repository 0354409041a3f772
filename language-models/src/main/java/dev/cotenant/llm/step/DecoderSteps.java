package dev.cotenant.llm.step;

import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.llm.memory.KvCache;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.FeedForward;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Layers;

/**
 * The steps of a server of a decoder on one of its GPUs, as amounts of the step-time formula: a
 * sample is a token.
 *
 * @param model as the engine runs it
 * @param tensor GPUs that divide every matrix
 * @param kvValueBytes bytes of a cached value
 * @param launches whether the host launches every operator: no CUDA graphs
 */
public record DecoderSteps(LanguageModel model, int tensor, int kvValueBytes, boolean launches) {
  // Weights and the cached keys and values are read once a step, so that both count as parameters.
  // Attention's scores stay on the chip [FlashAttention]. A token takes its experts; a batch reads
  // E · (1 - (1 - k/E)^tokens) of E, where it chooses k of them evenly.

  /** Operators of an eager layer [Qwen2.5's speed benchmark, transformers 4.46, one token]. */
  private static final double OPERATORS_PER_LAYER = 31;

  /** A step that adds one token to each sequence. */
  public StepWork decode(int sequences, double context) {
    return step(sequences, context, sequences, sequences * context);
  }

  /** A step over a chunk of a prompt after {@code before} tokens. */
  public StepWork prefill(int tokens, double before) {
    return step(tokens, before + tokens / 2.0, 1, before + tokens);
  }

  /**
   * A step.
   *
   * @param context tokens that a token attends to, in the mean
   * @param logits tokens that are sampled
   * @param cached tokens whose keys and values are read
   */
  private StepWork step(int tokens, double context, int logits, double cached) {
    double head = (double) model.vocabulary() * model.hidden() / tensor;
    double share = (double) logits / tokens;
    StepWork work =
        StepWork.ofTotals(
            tokens,
            new StepWork.Totals(
                matrices() + head * share + scores(context),
                outputs() + (double) model.vocabulary() / tensor * share,
                0,
                (weightBytes(tokens) + cacheBytes(cached, context)) / model.valueBytes()));
    double operators = launches ? OPERATORS_PER_LAYER * model.layers().count() : 0;
    StepWork fused = work.fused();
    return new StepWork(
        tokens,
        work.macs(),
        0,
        work.matrixOutputs(),
        launches ? work.moved() : fused.moved(),
        work.parameters(),
        operators,
        0,
        0);
  }

  /** Products of a token's linear layers. */
  private double matrices() {
    return new Weights(model).attentionParameters(tensor) + feedForward(1);
  }

  /** Parameters of feed-forward parts that so many tokens take. */
  private double feedForward(int tokens) {
    double all = new Weights(model).feedForwardParameters(tensor);
    FeedForward.Experts experts = model.feedForward().experts();
    if (experts == null) {
      return all;
    }
    double chosen = Math.min(1, (double) experts.perToken() / experts.count());
    double idle = experts.count() * Math.pow(1 - chosen, tokens);
    double each = 3.0 * model.hidden() * experts.width() / tensor * experts.layers();
    return Math.max(0, all - idle * each);
  }

  private double weightBytes(int tokens) {
    Weights weights = new Weights(model);
    return weights.attentionParameters(tensor) * weights.attentionBytes()
        + feedForward(tokens) * weights.linearBytes()
        + (double) model.vocabulary() * model.hidden() / tensor * model.valueBytes();
  }

  /** Products of queries with keys and of scores with values. */
  private double scores(double context) {
    Layers layers = model.layers();
    double attended = layers.full() * context + layers.windowed() * windowed(context);
    double heads = (double) model.attention().heads() / tensor;
    double width =
        switch (model.attention()) {
          case Attention.Grouped grouped -> 2.0 * grouped.headDim();
          case Attention.Latent latent -> 2.0 * latent.kvRank() + latent.rotaryDim();
        };
    return attended * heads * width;
  }

  private double windowed(double context) {
    int window = model.layers().window();
    return window == 0 ? context : Math.min(window, context);
  }

  private double cacheBytes(double cached, double context) {
    Layers layers = model.layers();
    int count = layers.full() + layers.windowed();
    if (count == 0 || context == 0) {
      return 0;
    }
    double share = (layers.full() + layers.windowed() * windowed(context) / context) / count;
    return new KvCache(model, tensor, 1, kvValueBytes).bytesPerToken() * cached * share;
  }

  /** Elements that the linear layers write for a token. */
  private double outputs() {
    double hidden = model.hidden();
    FeedForward part = model.feedForward();
    FeedForward.Experts experts = part.experts();
    double width =
        experts == null
            ? part.width()
            : (double) experts.perToken() * experts.width() + experts.sharedWidth();
    double projected =
        switch (model.attention()) {
          case Attention.Grouped grouped ->
              (grouped.heads() + 2.0 * grouped.kvHeads()) * grouped.headDim();
          case Attention.Latent latent ->
              (double) latent.heads() * (latent.plainDim() + latent.rotaryDim())
                  + latent.kvRank()
                  + latent.rotaryDim();
        };
    double divided = projected + (part.matrices() - 1) * width;
    return model.layers().count() * (divided / tensor + 2 * hidden);
  }
}
