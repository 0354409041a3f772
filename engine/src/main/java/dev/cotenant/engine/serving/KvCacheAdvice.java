package dev.cotenant.engine.serving;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.llm.memory.KvCache;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.VllmArguments;
import dev.cotenant.llm.serving.KvDemand;
import dev.cotenant.llm.serving.ServingParts;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The KV cache that suffices for the next window of a server.
 *
 * @param server its labels
 * @param windows in which it was observed
 * @param cutWindows windows in which the pool was full or requests waited, so that its demand is
 *     unknown
 * @param mostSequences the most that ran at once; 0 where no series says
 * @param poolBytes of the current pool
 * @param demandBytes that its requests use in the next window with the probability
 * @param longestBytes of one sequence of the longest length, which vLLM needs to start; at most the
 *     pool that it started with
 * @param tokens of the recommended pool, as vLLM prints them
 * @param bytes of the recommended pool on each GPU, the larger of demand and one sequence in whole
 *     blocks: the value of {@code --kv-cache-memory-bytes}
 * @param probability that the next window fits, where windows are exchangeable
 * @param tested back-tested windows, each predicted from earlier windows
 * @param held share of these that fitted; null without one
 */
public record KvCacheAdvice(
    @JsonProperty("server") String server,
    @JsonProperty("windows") int windows,
    @JsonProperty("cut_windows") int cutWindows,
    @JsonProperty("most_sequences") int mostSequences,
    @JsonProperty("pool_bytes") long poolBytes,
    @JsonProperty("demand_bytes") long demandBytes,
    @JsonProperty("longest_sequence_bytes") long longestBytes,
    @JsonProperty("kv_cache_tokens") long tokens,
    @JsonProperty("kv_cache_memory_bytes") long bytes,
    @JsonProperty("probability") double probability,
    @JsonProperty("back_tested") int tested,
    @JsonProperty("held") @Nullable Double held) {
  /** Tokens of a batch where nothing states them: the larger default. */
  private static final long BATCHED = 8192;

  /**
   * Memory that a pool must hold on each GPU.
   *
   * @param blockTokenBytes per token of a block
   * @param groups of layers; a token takes a place in a block of each
   * @param longestBytes of one sequence of the longest length
   */
  public record Pool(double blockTokenBytes, int groups, double longestBytes) {
    /**
     * Of a server.
     *
     * @param flags its arguments by name with dashes
     * @throws dev.cotenant.domain.InputException ({@code bad-engine-argument})
     */
    public static Pool of(LanguageModel model, VllmVersion version, Map<String, Value> flags) {
      VllmSettings settings = VllmArguments.of(version, flags).settings();
      LanguageModel served = VllmArguments.modelAsRun(model, flags);
      KvCache cache = settings.kvCache(served);
      Integer batched = settings.maxBatchedTokens();
      return new Pool(
          cache.blockBytesPerToken(),
          cache.groups(),
          cache.pooledBytesPerSequence(
              settings.length(served), batched == null ? BATCHED : batched, ServingParts.BLOCK));
    }
  }

  /**
   * From what its requests used.
   *
   * @param level probability that the pool suffices
   */
  public static KvCacheAdvice of(String server, KvDemand demand, Pool pool, double level) {
    KvDemand.Pool found = demand.pool(level);
    double has = demand.poolTokens() * pool.blockTokenBytes();
    double longest = Math.min(pool.longestBytes(), has);
    double used = found.tokens() * pool.blockTokenBytes();
    double blockBytes = ServingParts.BLOCK * pool.blockTokenBytes();
    long blocks = (long) Math.ceil(Math.max(used, longest) / blockBytes);
    return new KvCacheAdvice(
        server,
        demand.peaks().size(),
        demand.cut(),
        demand.sequences(),
        (long) has,
        (long) Math.ceil(used),
        (long) Math.ceil(longest),
        blocks / pool.groups() * ServingParts.BLOCK,
        (long) Math.ceil(blocks * blockBytes),
        found.probability(),
        found.tested(),
        found.tested() == 0 ? null : found.held());
  }

  /** Whether one sequence of the longest length takes more than its requests do. */
  @JsonIgnore
  public boolean isLongestAboveDemand() {
    return longestBytes > demandBytes;
  }
}
