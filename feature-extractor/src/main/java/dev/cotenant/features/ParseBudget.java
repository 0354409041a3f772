package dev.cotenant.features;

import dev.cotenant.domain.InputException;

/** Counts what a model holds against the limits. One a file, not thread safe. */
final class ParseBudget {
  /** Elements of a stored tensor or list that are kept for shape arithmetic. */
  static final int KEPT_ELEMENTS = 1024;

  private final String file;
  private final ReaderLimits limits;
  private int nodes;
  private int entries;

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
