package dev.cotenant.llm.memory;

import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.FeedForward;
import dev.cotenant.llm.model.FeedForward.Experts;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.model.StoredWeights;
import java.util.Map;

/**
 * Parameters and bytes of a model's weights, from its dimensions; all in doubles, which hold every
 * size that the readers accept.
 *
 * @param model the model
 */
public record Weights(LanguageModel model) {
  /** Engines pad the vocabulary to a multiple of this. */
  private static final long VOCABULARY_UNIT = 64;

  /** Kernels for mxfp4 pad the width of an expert to a multiple of this. */
  private static final int MXFP4_UNIT = 256;

  /** Elements by which headers and arithmetic may differ without contradicting each other. */
  private static final double TOLERANCE = 0.01;

  /** Parameters of all linear layers, undivided. */
  public double linearParameters() {
    return attention(1) * model.layers().count() + feedForward(1) + routers();
  }

  /** Parameters of one embedding. */
  public double embeddingParameters() {
    return (double) model.vocabulary() * model.hidden();
  }

  /** Parameters of attention in all layers, on one of the GPUs that divide them. */
  public double attentionParameters(int tensor) {
    return attention(tensor) * model.layers().count();
  }

  /** Parameters of all feed-forward parts, on one of the GPUs that divide them. */
  public double feedForwardParameters(int tensor) {
    return feedForward(tensor);
  }

  /** All parameters. */
  public double parameters() {
    return linearParameters()
        + embeddingParameters() * (model.tied() ? 1 : 2)
        + norms()
        + model.visionParameters();
  }

  /** Bytes of a weight of a linear layer. */
  public double linearBytes() {
    Quantization quantization = model.quantization();
    return quantization.isNone() ? model.valueBytes() : quantization.bytesPerWeight();
  }

  /** Of embeddings, norms and the like. */
  private double restBytes() {
    return model.quantization().coversAll() ? linearBytes() : model.valueBytes();
  }

  /** Bytes of a weight of attention. */
  public double attentionBytes() {
    return model.quantization().expertsAlone() ? model.valueBytes() : linearBytes();
  }

  /** Bytes of the weights on one GPU, without what an engine adds. */
  public double bytes() {
    double linear = attention(1) * model.layers().count();
    double rest = parameters() - linear - feedForward(1);
    return linear * attentionBytes() + feedForward(1) * linearBytes() + rest * restBytes();
  }

  /**
   * Bytes on the first GPU of a vLLM server: heads, matrices, experts and the vocabulary are
   * divided by the tensor-parallel size, KV heads at most one each, layers by the pipeline's
   * stages; rotary tables and latent projections are whole on each, and latent attention has its
   * expanded matrices twice.
   *
   * @param tensor tensor-parallel size
   * @param pipeline pipeline-parallel size
   */
  public double bytesPerGpu(int tensor, int pipeline) {
    int half = model.valueBytes();
    double share = Math.ceil((double) model.layers().count() / pipeline) / model.layers().count();
    double linear =
        (attention(tensor) * model.layers().count() * attentionBytes()
                + feedForward(tensor) * linearBytes())
            * share;
    int tables = model.tied() || pipeline > 1 ? 1 : 2;
    double embeddings =
        (double) paddedVocabulary() * model.hidden() / tensor * tables * restBytes();
    double rest = (norms() + routers()) * share * restBytes();
    double vision = (double) model.visionParameters() / tensor * half;
    return linear
        + embeddings
        + rest
        + vision
        + expandedLatents(tensor) * share * half
        + rotaryTables() * half
        + unexplained() / tensor / pipeline;
  }

  /** Rows of an embedding as an engine pads them. */
  public long paddedVocabulary() {
    return Math.ceilDiv(model.vocabulary(), VOCABULARY_UNIT) * VOCABULARY_UNIT;
  }

  /** Of one layer. */
  private double attention(int tensor) {
    double hidden = model.hidden();
    return switch (model.attention()) {
      case Attention.Grouped(int heads, int kvHeads, int dim, boolean bias) -> {
        double kv = Math.max(1.0, (double) kvHeads / tensor);
        double inputs = ((double) heads / tensor + 2 * kv) * dim;
        yield inputs * (hidden + (bias ? 1 : 0)) + (double) heads / tensor * dim * hidden;
      }
      case Attention.Latent latent -> {
        double heads = (double) latent.heads() / tensor;
        double keys = latent.plainDim() + latent.rotaryDim();
        double queries =
            latent.queryRank() == 0
                ? hidden * heads * keys
                : latent.queryRank() * (hidden + heads * keys);
        double compressed = hidden * (latent.kvRank() + latent.rotaryDim());
        double expanded = latent.kvRank() * heads * (latent.plainDim() + latent.valueDim());
        yield queries + compressed + expanded + heads * latent.valueDim() * hidden;
      }
    };
  }

  /** Of all layers. */
  private double feedForward(int tensor) {
    FeedForward part = model.feedForward();
    double dense = (double) part.matrices() * model.hidden() * part.width() / tensor;
    Experts experts = part.experts();
    if (experts == null) {
      return dense * model.layers().count();
    }
    double width = (double) experts.width() / tensor;
    if (model.quantization().equals(Quantization.MXFP4)) {
      width = Math.ceil(width / MXFP4_UNIT) * MXFP4_UNIT;
    }
    double mixed =
        3.0 * model.hidden() * (experts.count() * width + (double) experts.sharedWidth() / tensor);
    return mixed * experts.layers() + dense * (model.layers().count() - experts.layers());
  }

  private double routers() {
    Experts experts = model.feedForward().experts();
    return experts == null ? 0 : (double) experts.count() * model.hidden() * experts.layers();
  }

  private double norms() {
    return (2.0 * model.layers().count() + 1) * model.hidden();
  }

  private double expandedLatents(int tensor) {
    return model.attention() instanceof Attention.Latent latent
        ? (double) model.layers().count()
            * latent.kvRank()
            * latent.heads()
            / tensor
            * (latent.plainDim() + latent.valueDim())
        : 0;
  }

  private double rotaryTables() {
    return (double) model.positions().tableRows() * model.positions().rotaryDim();
  }

  /**
   * The unquantized model after an engine's quantization at load; bytes that its headers list
   * beyond the configuration are unchanged.
   */
  public LanguageModel quantizedAtLoad(Quantization other) {
    LanguageModel quantized = model.quantizedAs(other);
    StoredWeights stored = model.stored();
    if (stored == null) {
      return quantized;
    }
    double then = Math.max(0, new Weights(quantized).bytes() + loaded() - bytes());
    return quantized.withFiles(
        new StoredWeights(
            Map.of(other.method(), (long) then), stored.parameters(), stored.tensors()),
        model.adapter(),
        model.warnings());
  }

  /** Bytes that headers list beyond the arithmetic; the larger of both counts. */
  private double unexplained() {
    return Math.max(0, loaded() - bytes());
  }

  /** Bytes of the stored tensors in the type in which the model runs. */
  private double loaded() {
    StoredWeights stored = model.stored();
    if (stored == null) {
      return 0;
    }
    return model.quantization().isNone()
        ? (double) stored.parameters() * model.valueBytes()
        : stored.bytes();
  }

  /**
   * One line where the headers hold clearly more or fewer weights than the configuration says;
   * empty where they agree or were not read.
   */
  public java.util.Optional<String> contradiction() {
    double stored = loaded();
    double computed = bytes();
    if (stored == 0 || Math.abs(stored - computed) <= TOLERANCE * computed) {
      return java.util.Optional.empty();
    }
    return java.util.Optional.of(
        String.format(
            java.util.Locale.ROOT,
            "its headers hold %.2f GB, its configuration says %.2f GB: the larger counts",
            stored / 1e9,
            computed / 1e9));
  }
}
