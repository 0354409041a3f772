package dev.cotenant.llm.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.memory.KvCache;
import dev.cotenant.llm.model.LanguageModel;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of a vLLM server that decide about its memory; null is the default of version and card.
 *
 * @param version release
 * @param tensor tensor-parallel size
 * @param pipeline pipeline-parallel size
 * @param maxModelLength tokens of the longest sequence or {@link #FITTED}; null for the model's
 * @param utilization share of the card's memory that weights, activations and KV cache take
 * @param kvCacheBytes {@code --kv-cache-memory-bytes}, which replaces the utilization
 * @param maxSequences {@code --max-num-seqs}
 * @param maxBatchedTokens {@code --max-num-batched-tokens}
 * @param kvValueBytes bytes of a cached value; null for the model's type
 * @param eager no CUDA graphs
 * @param countsGraphs whether estimated CUDA graphs lie within the utilization
 */
public record VllmSettings(
    VllmVersion version,
    int tensor,
    int pipeline,
    @Nullable Long maxModelLength,
    @Nullable Double utilization,
    @Nullable Long kvCacheBytes,
    @Nullable Integer maxSequences,
    @Nullable Integer maxBatchedTokens,
    @Nullable Integer kvValueBytes,
    boolean eager,
    @Nullable Boolean countsGraphs) {
  /** In place of the longest sequence: as long as the pool holds, and the model's at most. */
  public static final long FITTED = -1;

  private static final int MAX_PARALLEL = 4096;

  /**
   * @throws InputException ({@code bad-engine-argument})
   */
  public VllmSettings {
    require("tensor-parallel-size", tensor, 1, MAX_PARALLEL);
    require("pipeline-parallel-size", pipeline, 1, MAX_PARALLEL);
    if (maxModelLength == null || maxModelLength != FITTED) {
      require("max-model-len", maxModelLength, 1, 1L << 32);
    }
    require("gpu-memory-utilization", utilization, 0.01, 1);
    require("kv-cache-memory-bytes", kvCacheBytes, 1, 1L << 50);
    require("max-num-seqs", maxSequences, 1, 1 << 24);
    require("max-num-batched-tokens", maxBatchedTokens, 1, 1 << 24);
    if (maxSequences != null && maxBatchedTokens != null && maxBatchedTokens < maxSequences) {
      throw InputException.invalidArgument(
          "bad-engine-argument",
          "--max-num-batched-tokens "
              + maxBatchedTokens
              + " must be at least --max-num-seqs "
              + maxSequences
              + ".");
    }
  }

  /** Every argument at its default. */
  public static VllmSettings of(VllmVersion version) {
    return new VllmSettings(version, 1, 1, null, null, null, null, null, null, false, null);
  }

  private static void require(String flag, @Nullable Number value, double least, double most) {
    if (value != null && !(value.doubleValue() >= least && value.doubleValue() <= most)) {
      throw InputException.invalidArgument(
          "bad-engine-argument",
          "--"
              + flag
              + " is "
              + value
              + "; it must be from "
              + plain(least)
              + " to "
              + plain(most)
              + ".");
    }
  }

  private static String plain(double value) {
    return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
  }

  /** Tokens of the longest sequence: the model's unless another is stated. */
  public long length(LanguageModel model) {
    return maxModelLength == null || isFitted() ? model.positions().longest() : maxModelLength;
  }

  /** Whether the longest sequence is shortened to what the pool holds. */
  public boolean isFitted() {
    return maxModelLength != null && maxModelLength == FITTED;
  }

  /** Keys and values on the first GPU. */
  public KvCache kvCache(LanguageModel model) {
    int bytes = kvValueBytes == null ? model.valueBytes() : kvValueBytes;
    return new KvCache(model, tensor, pipeline, bytes);
  }

  /** By how much the share of the GPU is larger with the defaults of newer releases. */
  public double newerShare() {
    return utilization == null && kvCacheBytes == null ? version.newerShare() : 0;
  }

  /** Share of the card. */
  public double utilizationOrDefault() {
    return utilization == null ? version.defaultUtilization() : utilization;
  }

  boolean graphsInside() {
    return countsGraphs == null ? version.countsGraphs() : countsGraphs;
  }

  /** Sequences of a batch; by default at most its tokens [vLLM, engine/arg_utils.py]. */
  public int sequences(ServingCard card) {
    if (maxSequences != null) {
      return maxSequences;
    }
    int usual = card.isLarge() && version.takesManySequences() ? 1024 : 256;
    return maxBatchedTokens == null ? usual : Math.min(usual, maxBatchedTokens);
  }

  /** Tokens of a batch; by default at most those of its sequences of the longest length. */
  public int batchedTokens(LanguageModel model, ServingCard card) {
    if (maxBatchedTokens != null) {
      return maxBatchedTokens;
    }
    int usual = card.isLarge() ? 8192 : 2048;
    return version.limitsDefaults()
        ? (int) Math.min(usual, sequences(card) * length(model))
        : usual;
  }
}
