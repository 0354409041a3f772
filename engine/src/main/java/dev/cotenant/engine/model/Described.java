package dev.cotenant.engine.model;

import dev.cotenant.llm.model.LanguageModel;

/** The description of a language model by the name or path that a container uses. */
public sealed interface Described {
  /** Its description. */
  record Known(LanguageModel model) implements Described {}

  /** Its files are read in the background. */
  record BeingRead() implements Described {}

  /**
   * Nothing.
   *
   * @param why what was looked for; no full stop
   */
  record Missing(String why) implements Described {}
}
