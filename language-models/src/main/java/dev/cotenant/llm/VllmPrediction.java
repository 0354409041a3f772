package dev.cotenant.llm;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.llm.MemoryPrediction.Bounded;
import dev.cotenant.llm.MemoryPrediction.Part;
import dev.cotenant.llm.MemoryPrediction.PartBounds;
import dev.cotenant.llm.MemoryPrediction.Serving;
import dev.cotenant.llm.fit.FamilyBound;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.ServingBounds;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.ServingPart;
import dev.cotenant.llm.serving.ServingParts;
import dev.cotenant.llm.serving.VllmSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One vLLM server.
 *
 * @param first the first stage of its pipeline, which is predicted
 * @param last the last stage, which computes the logits
 * @param most the first stage by the larger of shipped and learned constants
 * @param mostOfLast the last stage by these
 */
record VllmPrediction(
    LanguageModel model,
    VllmSettings settings,
    ServingCard card,
    BoundLevel level,
    ServingParts first,
    ServingParts last,
    ServingParts most,
    ServingParts mostOfLast) {
  private static final ServingBounds BOUNDS = ServingBounds.SHIPPED;

  /**
   * Its memory.
   *
   * @param concurrency sequences of the longest length for the least memory
   */
  MemoryPrediction predict(int concurrency, Unread unread, List<String> known) {
    List<String> warnings = new ArrayList<>(known);
    Serving serving = serving(concurrency);
    warn(serving, warnings);
    double newer = unread.version() ? settings.newerShare() * card.totalBytes() : 0;
    double least = unread.arguments().isEmpty() ? 0 : card.totalBytes();
    double upper = Math.max(most.process(), mostOfLast.process()) + newer;
    Bounded peak =
        level
            .bounded(first.process(), upper, isPinned() ? BOUNDS.overhead() : BOUNDS.outside())
            .atLeast((long) least);
    return new MemoryPrediction(
            model.name(),
            "vllm",
            settings.version().toString(),
            card.name(),
            peak,
            parts(serving.tokens()),
            serving,
            warnings)
        .within(card.totalBytes())
        .withWarnings(unread.arguments())
        .withWarnings(unread.uncounted());
  }

  private boolean isPinned() {
    return settings.kvCacheBytes() != null;
  }

  /** All stages have the token capacity of the smallest pool. */
  private double pool() {
    return Math.min(first.kvCache(), last.kvCache());
  }

  private Serving serving(int concurrency) {
    long tokens = first.tokens(pool());
    double pool = first.kvPerSequence() * concurrency;
    double sequences = tokens * first.kvPerToken() / first.kvPerSequence();
    if (settings.isFitted() && tokens > 0) {
      sequences = Math.max(1, sequences);
    }
    double upper = Math.max(most.withoutKv(), mostOfLast.withoutKv());
    return new Serving(
        tokens,
        sequences,
        sequences >= 1,
        level.bounded(first.withoutKv() + pool, upper + pool, BOUNDS.overhead()),
        (long) Math.ceil(pool));
  }

  private void warn(Serving serving, List<String> warnings) {
    if (!serving.starts()) {
      warnings.add(
          "its KV cache holds "
              + serving.tokens()
              + " tokens, too few for one sequence of "
              + settings.length(model)
              + ": vLLM would not start");
    }
    if (isPinned() && settings.utilization() != null) {
      warnings.add("--kv-cache-memory-bytes is set: --gpu-memory-utilization has no effect");
    }
    double more = last.withoutKv() - first.withoutKv();
    if (more > 0) {
      warnings.add(
          "the last stage of its pipeline computes the logits and takes "
              + MemorySize.ofBytes((long) more)
              + " more beside the KV cache; bounds and tokens are those of the larger stage");
    }
  }

  private Map<String, Part> parts(long tokens) {
    Map<String, Part> named = new LinkedHashMap<>();
    named.put("weights_bytes", part(ServingPart.WEIGHTS, "arithmetic on the model's files"));
    named.put("kv_cache_bytes", cache());
    named.put("kv_cache_tokens", new Part(tokens, leastTokens(tokens), "pool / bytes of a token"));
    named.put(
        "activation_bytes",
        part(ServingPart.ACTIVATION, "sampler or widest layer, measured starts"));
    named.put("non_torch_bytes", part(ServingPart.NON_TORCH, "measured starts, by parallelism"));
    named.put("cuda_graph_bytes", part(ServingPart.CUDA_GRAPHS, "layers, measured starts"));
    named.put("context_bytes", part(ServingPart.CONTEXT, "measured starts, by parallelism"));
    return named;
  }

  private Part part(ServingPart part, String basis) {
    double mean = part.of(first);
    if (mean == 0 && part == ServingPart.CUDA_GRAPHS) {
      return new Part(0, "--enforce-eager");
    }
    FamilyBound bound = BOUNDS.of(part);
    double upper = Math.max(part.of(most), part.of(mostOfLast)) + level.extra(bound);
    return new Part(
        (long) mean, new PartBounds(null, (long) Math.ceil(upper), level.coverage(bound)), basis);
  }

  private Part cache() {
    long bytes = (long) first.kvCache();
    return isPinned()
        ? new Part(bytes, "--kv-cache-memory-bytes")
        : new Part(
            bytes,
            new PartBounds(
                (long) leastPool(), (long) first.kvCache(), level.coverage(BOUNDS.allButKv())),
            "utilization of the GPU memory less weights, activations and non-torch memory");
  }

  /** Pool left by the other parts at their upper bounds. */
  private double leastPool() {
    double least = Math.min(most.kvCache(), mostOfLast.kvCache());
    return Math.max(0, least - level.extra(BOUNDS.allButKv()));
  }

  private @Nullable PartBounds leastTokens(long tokens) {
    return isPinned()
        ? null
        : new PartBounds(
            Math.min(tokens, first.tokens(leastPool())), null, level.coverage(BOUNDS.allButKv()));
  }
}
