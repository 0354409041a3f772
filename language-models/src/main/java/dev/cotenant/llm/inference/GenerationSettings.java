package dev.cotenant.llm.inference;

import dev.cotenant.domain.InputException;

/**
 * Generation with plain transformers, one sequence at a time.
 *
 * @param release of transformers, which decides what is kept of the prompt's logits
 * @param promptTokens tokens of the prompt
 * @param generatedTokens tokens after it
 * @param gpus GPUs that share the layers
 */
public record GenerationSettings(
    Release release, long promptTokens, long generatedTokens, int gpus) {
  private static final long MAX_TOKENS = 1L << 32;

  /** Releases that differ in memory. */
  public enum Release {
    /** Up to 4.44: logits of the whole prompt, in half precision and in fp32. */
    WHOLE_PROMPT,
    /** 4.45 to 4.50: logits of the last token; the prefill's widest layer shows. */
    LAST_TOKEN,
    /** From 4.51. */
    LEAN;

    /**
     * Of a version such as {@code 4.46.0}.
     *
     * @throws InputException ({@code bad-engine-version})
     */
    public static Release of(String version) {
      java.util.regex.Matcher matcher =
          java.util.regex.Pattern.compile("v?([0-9]{1,4})\\.([0-9]{1,4}).*").matcher(version);
      if (!matcher.matches()) {
        throw InputException.invalidArgument(
            "bad-engine-version",
            "'"
                + dev.cotenant.domain.text.PlainText.of(version)
                + "' is no version of transformers; write it as 4.46 or 4.46.0.");
      }
      int number = Integer.parseInt(matcher.group(1)) * 10_000 + Integer.parseInt(matcher.group(2));
      return number < 40_045 ? WHOLE_PROMPT : number < 40_051 ? LAST_TOKEN : LEAN;
    }
  }

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
}
