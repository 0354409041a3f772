package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a language model's engine on one GPU, by part.
 *
 * @param engine with its version, {@code vllm 0.19}
 * @param takes the mean of the whole process under its arguments
 * @param parts bytes by their names in JSON, tokens where a name says so; in order
 * @param least what would serve; null for other jobs than servers
 * @param speed its steps; null for other jobs than servers
 */
public record EngineMemory(
    String engine,
    MemorySize takes,
    Map<String, Long> parts,
    @Nullable Least least,
    @Nullable EngineSpeed speed) {
  public EngineMemory {
    parts = Collections.unmodifiableMap(new LinkedHashMap<>(parts));
  }

  /** The argument that limits the memory of a server. */
  public sealed interface Limit {
    /** Its arguments limit it already. */
    record Stated() implements Limit {}

    /** {@code --kv-cache-memory-bytes}, which fixes the KV cache. */
    record CacheBytes() implements Limit {}

    /**
     * {@code --gpu-memory-utilization}, a share of the card.
     *
     * @param insideBytes what counts against the share where the cache holds one sequence
     * @param cardBytes memory of the card as the process sees it
     */
    record Utilization(double insideBytes, double cardBytes) implements Limit {}
  }

  /**
   * The least memory that serves one sequence of the longest length.
   *
   * @param mean of the whole process
   * @param upper its upper bound
   * @param coverage of the bound; null where it is assumed
   * @param cacheBytes of the KV cache of that sequence
   * @param limit how the engine is limited to this amount
   */
  public record Least(
      MemorySize mean,
      MemorySize upper,
      @Nullable Coverage coverage,
      long cacheBytes,
      Limit limit) {
    /** The argument that would limit the server to it; empty if its arguments already do. */
    public Optional<String> argument() {
      return within(upper);
    }

    /**
     * The argument that keeps the upper bound of the process within a budget; empty where its
     * arguments limit it already, and where the budget is less than one sequence needs.
     */
    public Optional<String> within(MemorySize budget) {
      if (!upper.isAtMost(budget)) {
        return Optional.empty();
      }
      long beyond = budget.bytes() - upper.bytes();
      return switch (limit) {
        case Limit.Stated _ -> Optional.empty();
        case Limit.CacheBytes _ -> Optional.of("--kv-cache-memory-bytes=" + (cacheBytes + beyond));
        case Limit.Utilization(double inside, double card) -> {
          // Rounded down, but for the least itself, which must hold its sequence.
          double percent = 100 * (inside + beyond) / card;
          double share = (beyond == 0 ? Math.ceil(percent) : Math.floor(percent)) / 100;
          yield share >= 1 || 100 * inside / card > 100 * share
              ? Optional.empty()
              : Optional.of(String.format(Locale.ROOT, "--gpu-memory-utilization=%.2f", share));
        }
      };
    }
  }

  /**
   * The argument that lowers its memory; empty where it takes no more than it needs, or the
   * argument is set.
   */
  public String advice() {
    Least needed = least;
    return needed == null || takes.isAtMost(needed.upper())
        ? ""
        : needed
            .argument()
            .map(argument ->
                engine
                    + " needs "
                    + needed.upper()
                    + " for one sequence of the longest length and takes "
                    + takes
                    + ": set "
                    + argument
                    + ", or more for more sequences")
            .orElse("");
  }
}
