package dev.cotenant.llm.startup;

import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.serving.VllmVersion;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One start of vLLM as its log states it, on its first GPU.
 *
 * @param place file and line of its first line
 * @param version release
 * @param model name or path; empty where no line names it
 * @param flags arguments by name with dashes, resolved defaults included
 * @param measured amounts
 */
public record EngineStart(
    String place, VllmVersion version, String model, Map<String, Value> flags, Measured measured) {
  public EngineStart {
    flags = Map.copyOf(flags);
  }

  /** Whether all memory is recorded: the pool, and the graphs unless disabled. */
  public boolean isComplete() {
    Value eager = flags.get("enforce-eager");
    boolean hasPool = measured.kvCache() != null || measured.kvTokens() != null;
    return hasPool
        && (measured.graphs() != null || (eager != null && !eager.text().equals("false")));
  }

  /**
   * Bytes, and tokens; null where no line states it: only some are logged above level DEBUG.
   *
   * @param total memory of the card as the process sees it
   * @param context in use before loading
   * @param weights after loading
   * @param activation peak of the profiling run
   * @param nonTorch outside of PyTorch after loading
   * @param graphs CUDA graphs
   * @param kvCache the pool
   * @param kvTokens tokens of the pool
   */
  public record Measured(
      @Nullable Double total,
      @Nullable Double context,
      @Nullable Double weights,
      @Nullable Double activation,
      @Nullable Double nonTorch,
      @Nullable Double graphs,
      @Nullable Double kvCache,
      @Nullable Double kvTokens) {}
}
