package dev.cotenant.engine.model;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.EngineSpeed;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.VllmVersion;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The memory of engines as decisions show it. */
final class EngineMemories {
  /** From this on {@code --kv-cache-memory-bytes} exists [vLLM releases]. */
  private static final VllmVersion PINS_CACHE = new VllmVersion(0, 11);

  private static final Set<String> FIXES_CACHE =
      Set.of("kv-cache-memory-bytes", "kv-cache-memory", "num-gpu-blocks-override");

  private EngineMemories() {}

  static long part(MemoryPrediction memory, String name) {
    MemoryPrediction.Part part = memory.parts().get(name);
    return part == null ? 0 : Math.max(0, part.amount());
  }

  static EngineMemory of(
      MemoryPrediction memory, EngineRun run, Device device, @Nullable EngineSpeed speed) {
    Map<String, Long> parts = new LinkedHashMap<>();
    memory.parts().forEach((name, part) -> parts.put(name, part.amount()));
    MemoryPrediction.Serving serving = memory.serving();
    EngineMemory.Least least = null;
    if (serving != null) {
      Double coverage = serving.least().coverage();
      least =
          new EngineMemory.Least(
              MemorySize.ofBytes(serving.least().mean()),
              MemorySize.ofBytes(serving.least().upper()),
              coverage == null ? null : Coverage.of(coverage),
              serving.leastKvCacheBytes(),
              limit(memory, serving.leastKvCacheBytes(), run, device));
    }
    String name = (memory.engine() + " " + memory.version()).strip();
    return new EngineMemory(name, MemorySize.ofBytes(memory.peak().mean()), parts, least, speed);
  }

  /** The argument that limits the memory of a server in its version. */
  private static EngineMemory.Limit limit(
      MemoryPrediction memory, long cacheBytes, EngineRun run, Device device) {
    if (run.settings().keySet().stream().anyMatch(FIXES_CACHE::contains)) {
      return new EngineMemory.Limit.Stated();
    }
    if (LanguageModelRuns.version(run).compareTo(PINS_CACHE) >= 0) {
      return new EngineMemory.Limit.CacheBytes();
    }
    double inside =
        (double) part(memory, "weights_bytes")
            + part(memory, "activation_bytes")
            + part(memory, "non_torch_bytes")
            + cacheBytes;
    return new EngineMemory.Limit.Utilization(
        inside, run.seenBytes(ServingCard.of(device).totalBytes()));
  }
}
