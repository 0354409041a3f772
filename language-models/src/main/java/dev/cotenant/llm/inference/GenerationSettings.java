package dev.cotenant.llm.inference;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.inference.TransformersVersion.Release;
import org.jspecify.annotations.Nullable;

/**
 * Generation with plain transformers, one sequence at a time.
 *
 * @param version of transformers, which decides what is kept of the prompt's logits; null where
 *     nothing states it
 * @param promptTokens tokens of the prompt
 * @param generatedTokens tokens after it
 * @param gpus GPUs that share the layers
 */
public record GenerationSettings(
    @Nullable TransformersVersion version, long promptTokens, long generatedTokens, int gpus) {
  private static final long MAX_TOKENS = 1L << 32;

  /**
   * @throws InputException ({@code bad-engine-argument})
   */
  public GenerationSettings {
    if (promptTokens < 1
        || promptTokens > MAX_TOKENS
        || generatedTokens < 0
        || generatedTokens > MAX_TOKENS) {
      throw InputException.invalidArgument(
          "bad-engine-argument",
          "Tokens of prompt and answer must be from 1 to " + MAX_TOKENS + ".");
    }
    if (gpus < 1 || gpus > 4096) {
      throw InputException.invalidArgument(
          "bad-engine-argument", "The number of GPUs must be from 1 to 4096, is " + gpus + ".");
    }
  }

  /** Of the version, the newest where nothing states it. */
  public Release release() {
    return version == null ? Release.LEAN : version.release();
  }

  /** Copy with the measured version of a release. */
  public GenerationSettings of(Release release) {
    return new GenerationSettings(release.measured(), promptTokens, generatedTokens, gpus);
  }
}
