package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory of an engine with a language model on one GPU, by its parts.
 *
 * @param engine with its version, {@code vllm 0.19}
 * @param model what it runs
 * @param takes the mean of the whole process under its arguments
 * @param parts bytes by their names in JSON, tokens where a name says so; in order
 * @param least what would serve; null for other jobs than servers
 */
public record EngineMemory(
    String engine, String model, MemorySize takes, Map<String, Long> parts, @Nullable Least least) {
  public EngineMemory {
    parts = Collections.unmodifiableMap(new LinkedHashMap<>(parts));
  }

  /**
   * The least memory that serves one sequence of the longest length.
   *
   * @param mean of the whole process
   * @param upper its upper bound
   * @param coverage of the bound; null where it is assumed
   * @param argument that limits the engine to it, {@code --kv-cache-memory-bytes=1073741824}; empty
   *     where its arguments fix the KV cache already
   */
  public record Least(
      MemorySize mean, MemorySize upper, @Nullable Coverage coverage, String argument) {}

  /** What to do to take less; empty where it takes what it needs, or was told how much to take. */
  public String advice() {
    Least needed = least;
    return needed == null || needed.argument().isEmpty() || takes.isAtMost(needed.upper())
        ? ""
        : engine
            + " needs "
            + needed.upper()
            + " for one sequence of the longest length and takes "
            + takes
            + ": set "
            + needed.argument()
            + ", or more for more sequences";
  }
}
