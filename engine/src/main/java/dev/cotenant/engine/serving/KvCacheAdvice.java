package dev.cotenant.engine.serving;

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
 * @param tokens of the recommended pool
 * @param bytes of the recommended pool: the value of {@code --kv-cache-memory-bytes}
 * @param probability that the next window fits, where windows are exchangeable
 * @param tested windows that were back-tested, each from those before it
 * @param held share of these that fitted; null without one
 */
public record KvCacheAdvice(
    @JsonProperty("server") String server,
    @JsonProperty("windows") int windows,
    @JsonProperty("cut_windows") int cutWindows,
    @JsonProperty("most_sequences") int mostSequences,
    @JsonProperty("kv_cache_tokens") long tokens,
    @JsonProperty("kv_cache_memory_bytes") long bytes,
    @JsonProperty("probability") double probability,
    @JsonProperty("back_tested") int tested,
    @JsonProperty("held") @Nullable Double held) {
  /**
   * What a pool must hold.
   *
   * @param bytesPerToken on each GPU
   * @param leastTokens one sequence of the longest length that is stated
   */
  public record Pool(double bytesPerToken, double leastTokens) {
    /**
     * Of a server.
     *
     * @param flags its arguments by name with dashes
     * @throws dev.cotenant.domain.InputException ({@code bad-engine-argument})
     */
    public static Pool of(LanguageModel model, VllmVersion version, Map<String, Value> flags) {
      VllmSettings settings = VllmArguments.of(version, flags).settings();
      LanguageModel served = VllmArguments.modelAsRun(model, flags);
      Integer kvBytes = settings.kvValueBytes();
      Long longest = settings.maxModelLength();
      KvCache cache =
          new KvCache(
              served,
              settings.tensor(),
              settings.pipeline(),
              kvBytes == null ? served.valueBytes() : kvBytes);
      return new Pool(cache.pooledBytesPerToken(), longest == null ? 1.0 : longest.doubleValue());
    }
  }

  /**
   * From what its requests used.
   *
   * @param level probability that the pool suffices
   */
  public static KvCacheAdvice of(String server, KvDemand demand, Pool pool, double level) {
    KvDemand.Pool found = demand.pool(level);
    long blocks =
        (long) Math.ceil(Math.max(found.tokens(), pool.leastTokens()) / ServingParts.BLOCK);
    return new KvCacheAdvice(
        server,
        demand.peaks().size(),
        demand.cut(),
        demand.sequences(),
        blocks * ServingParts.BLOCK,
        (long) Math.ceil(blocks * ServingParts.BLOCK * pool.bytesPerToken()),
        found.probability(),
        found.tested(),
        found.tested() == 0 ? null : found.held());
  }
}
