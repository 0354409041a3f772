package dev.cotenant.llm.pod;

import java.util.List;

/**
 * A command of a script.
 *
 * @param when it runs
 */
record ShellCommand(List<String> words, When when) {
  /** When a command runs. */
  enum When {
    /** Regardless of earlier commands. */
    ALWAYS,
    /** Where the one before it ends well. */
    AFTER_SUCCESS,
    /** In a branch, a loop or a function, or in place of one that fails. */
    PERHAPS
  }

  ShellCommand {
    words = List.copyOf(words);
  }
}
