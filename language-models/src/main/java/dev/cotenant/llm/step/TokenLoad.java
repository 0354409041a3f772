package dev.cotenant.llm.step;

import org.jspecify.annotations.Nullable;

/**
 * The requests of a server.
 *
 * @param promptTokens of a request
 * @param generatedTokens of its answer
 * @param sequences at once where no rate is stated
 * @param requestsPerSecond null where it is not stated: requests follow each other
 */
public record TokenLoad(
    long promptTokens, long generatedTokens, int sequences, @Nullable Double requestsPerSecond) {
  public TokenLoad {
    if (promptTokens < 1 || generatedTokens < 1 || sequences < 1) {
      throw new IllegalArgumentException(
          "tokens and sequences must be at least 1: " + promptTokens + ", " + generatedTokens);
    }
  }

  /** Tokens of a sequence in the mean over its answer. */
  public double context() {
    return promptTokens + generatedTokens / 2.0;
  }
}
