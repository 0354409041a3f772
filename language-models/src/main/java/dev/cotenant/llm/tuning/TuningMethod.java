package dev.cotenant.llm.tuning;

import java.util.Locale;
import java.util.Set;

/**
 * Trained parameters of a fine-tuning method, by its effect on a targeted module.
 *
 * @param name as PEFT names it, in capitals; {@code FULL} trains every parameter
 */
public record TuningMethod(String name) {
  /** Every parameter. */
  public static final TuningMethod FULL = new TuningMethod("FULL");

  /** Low-rank adapters [LoRA]. */
  public static final TuningMethod LORA = new TuningMethod("LORA");

  /** Methods that build the update of a whole matrix before adding it. */
  private static final Set<String> BUILD =
      Set.of(
          "BOFT",
          "LOHA",
          "LOKR",
          "FOURIERFT",
          "WAVEFT",
          "HIRA",
          "FROD",
          "PEANUT",
          "RANDLORA",
          "OSF");

  /** Methods that keep no input of a module beside what the model itself keeps. */
  private static final Set<String> WITHOUT_INPUTS =
      Set.of(
          "FULL",
          "BEFT",
          "TINYLORA",
          "MISS",
          "ADAMSS",
          "LN_TUNING",
          "PREFIX_TUNING",
          "PROMPT_TUNING",
          "MULTITASK_PROMPT_TUNING",
          "P_TUNING",
          "CPT",
          "TRAINABLE_TOKENS",
          "PSOFT",
          "OSF",
          "BITFIT");

  private static final Set<String> PROMPTS =
      Set.of("PROMPT_TUNING", "MULTITASK_PROMPT_TUNING", "CPT");

  /** Tokens that P-tuning adds where its configuration does not say. */
  private static final double P_TUNING_TOKENS = 20;

  public TuningMethod {
    name = name.toUpperCase(Locale.ROOT);
  }

  /** Whether every parameter is trained. */
  public boolean isFull() {
    return name.equals("FULL");
  }

  boolean buildsUpdate() {
    return BUILD.contains(name);
  }

  boolean savesInputs() {
    return !WITHOUT_INPUTS.contains(name);
  }

  boolean isPrefix() {
    return name.equals("PREFIX_TUNING");
  }

  /** Tokens that lengthen every sequence. */
  double virtualTokens(double trainable, int hidden) {
    if (PROMPTS.contains(name)) {
      return trainable / hidden;
    }
    return name.equals("P_TUNING") ? P_TUNING_TOKENS : 0;
  }
}
