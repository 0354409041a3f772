package dev.cotenant.features;

import dev.cotenant.domain.InputException;

/** Counts what a model holds against the limits. One a file, not thread safe. */
final class ParseBudget {
  /** Elements of a stored tensor or list that are kept for shape arithmetic. */
  static final int KEPT_ELEMENTS = 1024;

  /** Names together may be as long as this many of the longest; 256 MiB by default. */
  private static final int LONGEST_TEXTS = 4096;

  private final String file;
  private final ReaderLimits limits;
  private int nodes;
  private int entries;
  private long texts;

  ParseBudget(String file, ReaderLimits limits) {
    this.file = file;
    this.limits = limits;
  }

  int textBytes() {
    return limits.textBytes();
  }

  void countNode() {
    countEntry();
    if (++nodes > limits.nodes()) {
      throw tooLarge("too-many-nodes", "more than " + limits.nodes() + " nodes");
    }
  }

  void countEntry() {
    if (++entries > limits.entries()) {
      throw tooLarge("too-many-entries", "more than " + limits.entries() + " entries");
    }
  }

  /**
   * Counts bytes of names that are kept; together they may be {@value #LONGEST_TEXTS} long ones.
   */
  void countText(int bytes) {
    texts += bytes;
    long limit = (long) LONGEST_TEXTS * limits.textBytes();
    if (texts > limit) {
      throw tooLarge("too-much-text", "more than " + limit + " bytes of names");
    }
  }

  void requireDepth(int depth) {
    if (depth > limits.nestingDepth()) {
      throw tooLarge(
          "too-deep", "graphs nested more than " + limits.nestingDepth() + " levels deep");
    }
  }

  private InputException tooLarge(String code, String what) {
    return InputException.tooLarge(code, file + ": " + what + ", which is over the limit");
  }
}
