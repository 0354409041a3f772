package dev.cotenant.engine.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.serving.LearnedServing;
import dev.cotenant.llm.serving.LearnedServingFile;
import dev.cotenant.llm.serving.ServingRun;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A stored measured start of a server.
 *
 * @param namespace whose constants it moves
 * @param release of vLLM, such as {@code 0.19}
 * @param model what its container calls the model
 * @param source who measured it, such as a pod
 * @param document the start in the format of {@link LearnedServingFile}
 * @param key of the pod and its start, which count once; null where equal documents count once
 * @param at when it came
 */
public record ServingStart(
    String namespace,
    String release,
    String model,
    String source,
    String document,
    @Nullable String key,
    Instant at) {
  /** Of a run. */
  public static ServingStart of(
      String namespace,
      String model,
      String source,
      ServingRun run,
      @Nullable String key,
      Instant at) {
    return new ServingStart(
        namespace,
        run.settings().version().toString(),
        model,
        source,
        LearnedServingFile.write(LearnedServing.NONE.with(List.of(run))),
        key,
        at);
  }

  /** What one start says; empty where the format of its document is not known. */
  Optional<LearnedServing> learned() {
    try {
      return Optional.of(
          LearnedServingFile.read(document.getBytes(StandardCharsets.UTF_8), source));
    } catch (InputException e) {
      return Optional.empty();
    }
  }
}
