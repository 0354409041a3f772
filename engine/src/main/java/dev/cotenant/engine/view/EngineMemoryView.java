package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.prediction.EngineMemory;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory of an engine with a language model by its parts.
 *
 * @param engine with its version
 * @param takesBytes the mean of the whole process under its arguments
 * @param parts in bytes, and the tokens of the KV cache
 * @param leastBytes upper bound of the memory for one sequence of the longest length; absent for
 *     other jobs than servers
 * @param argument argument that would limit the server to it; absent if its arguments already do
 * @param speed its steps under a load; absent for other jobs than servers
 * @param advice advice for taking less memory; absent if none is needed
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EngineMemoryView(
    @JsonProperty("engine") String engine,
    @JsonProperty("takes_bytes") long takesBytes,
    @JsonProperty("parts") Map<String, Long> parts,
    @JsonProperty("least_bytes") @Nullable Long leastBytes,
    @JsonProperty("argument") @Nullable String argument,
    @JsonProperty("speed") @Nullable EngineSpeedView speed,
    @JsonProperty("advice") @Nullable String advice) {
  static @Nullable EngineMemoryView of(@Nullable EngineMemory memory) {
    if (memory == null) {
      return null;
    }
    EngineMemory.Least least = memory.least();
    return new EngineMemoryView(
        memory.engine(),
        memory.takes().bytes(),
        memory.parts(),
        least == null ? null : least.upper().bytes(),
        least == null ? null : least.argument().orElse(null),
        EngineSpeedView.of(memory.speed()),
        memory.advice().isEmpty() ? null : memory.advice());
  }
}
