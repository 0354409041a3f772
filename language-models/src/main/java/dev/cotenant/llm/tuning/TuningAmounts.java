package dev.cotenant.llm.tuning;

import dev.cotenant.llm.memory.Modules;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.LanguageModel;

/**
 * What a fine-tuning job keeps on a GPU, in bytes.
 *
 * @param weights of the base model
 * @param states trained values, gradients and the optimizer's moments
 * @param gathered weights that sharding collects for a moment
 * @param features what coefficients multiply: activations, logits and what the stack adds
 */
@SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
record TuningAmounts(double weights, double states, double gathered, double[] features) {
  /** Values, gradients and two moments in fp32. */
  private static final double ADAM_FP32 = 16;

  /** The same in bf16. */
  private static final double ADAM_BF16 = 8;

  /** Widths of vectors that a gated layer saves for a token, in hidden sizes. */
  private static final double SAVED = 10.5;

  /** The same where attention's and the norms' are fused. */
  private static final double SAVED_FUSED = 8;

  private static final double SAVED_PARALLEL = 4;
  private static final double LOGIT_BYTES = 12;

  static TuningAmounts of(LanguageModel model, TuningSettings settings) {
    Job job = new Job(model, settings);
    return switch (settings.stack()) {
      case PEFT -> job.peft();
      case LITGPT -> job.litgpt();
      case CHECKPOINTED -> job.checkpointed();
    };
  }

  double fixed() {
    return weights + states + gathered;
  }

  /** One job with what all stacks need. */
  private record Job(LanguageModel model, TuningSettings settings) {
    private double trainable() {
      Double known = settings.trainable();
      if (known != null) {
        return known;
      }
      if (settings.method().isFull()) {
        return new Weights(model).parameters();
      }
      double adapters = Modules.of(model, settings.targets()).adapterParameters(settings.rank());
      return adapters + Modules.of(model, settings.whole()).weights();
    }

    private double savedPerToken(double hiddens) {
      double width = model.feedForward().width();
      return model.feedForward().gated()
          ? 2 * (hiddens * model.hidden() + 4 * width)
          : 2 * (SAVED_PARALLEL * model.hidden() + 2 * width);
    }

    private TuningAmounts peft() {
      double trained = trainable();
      double sequence =
          settings.sequence() + settings.method().virtualTokens(trained, model.hidden());
      double tokens = settings.batch() * sequence;
      double layers = model.layers().count();
      Modules modules = Modules.of(model, settings.targets());
      boolean full = settings.method().isFull();
      double saved = arithmetic() * layers * tokens * savedPerToken(SAVED);
      double states = (full ? fullStates() : stated(ADAM_FP32, 4, 0)) * trained;
      Weights base = new Weights(model);
      return new TuningAmounts(
          resident(base),
          states / shards(1),
          offloaded(base),
          new double[] {
            saved + LOGIT_BYTES * tokens * model.vocabulary(),
            settings.method().savesInputs() ? 4 * tokens * modules.inputs() : 0,
            buildsUpdate() ? 4 * modules.weights() : 0,
            settings.method().isPrefix() ? prefix(trained) : 0
          });
    }

    /** States of a parameter of the base model beside its weight. */
    private double fullStates() {
      return switch (settings.precision()) {
        case HALF -> stated(ADAM_BF16 - 2, 2, 0);
        case MIXED -> stated(ADAM_FP32, 4, 4);
        case SINGLE -> stated(ADAM_FP32 - 4, 4, 0);
      };
    }

    private double stated(double withAdam, double valueBytes, double masterBytes) {
      return settings.states().bytes(withAdam, valueBytes, masterBytes);
    }

    /** Weights of the base model that stay on the GPU. */
    private double resident(Weights base) {
      return settings.states().offloadsWeights() ? 0 : base.bytes() / shards(3);
    }

    /** Weights of the layer that runs and of the embeddings, where the others are on the host. */
    private double offloaded(Weights base) {
      return settings.states().offloadsWeights()
          ? 2 * (base.linearParameters() / model.layers().count() + 2 * base.embeddingParameters())
          : 0;
    }

    /** Size of an activation against one in 16 bits. */
    private double arithmetic() {
      return settings.precision() == TuningPrecision.SINGLE ? 2 : 1;
    }

    /** MiSS has a variant that multiplies the weights by its blocks. */
    private boolean buildsUpdate() {
      return settings.method().buildsUpdate() || settings.variant().equals("bat");
    }

    /** Keys and values with the prefix, repeated for every head. */
    private double prefix(double trained) {
      if (!(model.attention() instanceof Attention.Grouped heads)) {
        return 0;
      }
      double layers = model.layers().count();
      double tokens = trained / (layers * 2 * heads.kvHeads() * heads.headDim());
      return 4.0
          * settings.batch()
          * (settings.sequence() + tokens)
          * layers
          * heads.heads()
          * heads.headDim();
    }

    private double shards(int stage) {
      return settings.zeroStage() >= stage ? settings.gpus() : 1;
    }

    private TuningAmounts litgpt() {
      Weights base = new Weights(model);
      double embedding = base.embeddingParameters();
      double tokens = settings.tokens();
      double layers = model.layers().count();
      double head = embedding * base.linearBytes(); // quantized as any linear layer, never tied
      double weights = base.linearParameters() * base.linearBytes() + 2 * embedding + head;
      boolean full = settings.method().isFull();
      double trained = full ? base.linearParameters() + 2 * embedding : trainable();
      boolean several = settings.gpus() > 1;
      double saved = tokens * savedPerToken(SAVED_FUSED);
      boolean quantized = !model.quantization().isNone();
      boolean lora = settings.method().equals(TuningMethod.LORA);
      double outputs =
          (5 * model.hidden()
              + model.feedForward().width() * (model.feedForward().gated() ? 2.0 : 1.0));
      return new TuningAmounts(
          (full ? 0 : weights) / settings.gpus(),
          ADAM_BF16 * trained / settings.gpus(),
          (several ? weights : 0) + (quantized ? dequantized() : 0), // saved as one dictionary
          new double[] {
            settings.checkpointing()
                ? layers * tokens * model.hidden() * 2 + saved
                : layers * saved,
            tokens * model.vocabulary(),
            lora && !settings.checkpointing()
                ? 2 * tokens * Modules.of(model, settings.targets()).inputs()
                : 0,
            quantized ? 2 * tokens * layers * (model.hidden() + model.feedForward().width()) : 0,
            settings.variant().equals("adapter_v2") ? 2 * tokens * layers * outputs : 0
          });
    }

    /** The largest matrix, dequantized, and its copy. */
    private double dequantized() {
      double largest = Math.max(model.vocabulary(), model.feedForward().width());
      return 4 * largest * model.hidden();
    }

    private TuningAmounts checkpointed() {
      Weights base = new Weights(model);
      double gpus = settings.gpus();
      double trained = trainable();
      double layers = model.layers().count();
      double tokens = settings.tokens();
      boolean full = settings.method().isFull();
      double weights = base.bytes();
      double values = full ? 0 : 4;
      boolean single = settings.precision() == TuningPrecision.SINGLE;
      double states =
          full && single ? stated(ADAM_FP32 - 4, 4, 0) : stated(ADAM_FP32, 4, full ? 4 : 0);
      double layer = base.linearParameters() / layers * 2;
      boolean gathers = settings.zeroStage() == 3 && !full;
      return new TuningAmounts(
          resident(base),
          (values / shards(3) + (states - values) / shards(1)) * trained,
          gathers && !settings.states().offloadsWeights()
              ? 2 * base.embeddingParameters() + layer / 2
              : offloaded(base),
          new double[] {
            arithmetic() * layers * tokens * model.hidden() * 2,
            arithmetic()
                * tokens
                * 2
                * (12 * model.hidden() + 4 * (double) model.feedForward().width()),
            tokens * model.vocabulary(),
            1,
            full ? 3 * base.parameters() / gpus : 0,
            full ? 0 : trained / shards(1),
            model.quantization().isNone() ? 0 : weights
          });
    }
  }
}
