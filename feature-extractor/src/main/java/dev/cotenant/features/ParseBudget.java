package dev.cotenant.features;

import dev.cotenant.domain.InputException;

/** Counts what a model holds against the limits. One a file, not thread safe. */
final class ParseBudget {
  /** Elements of a stored tensor or list that are stored for shape arithmetic. */
  static final int KEPT_ELEMENTS = 1024;

  /** Elements of all small tensors together. */
  private static final int KEPT_IN_ALL = 4_000_000;

  /** Outputs of one node. */
  private static final int OUTPUTS = 65_536;

  /** What the parts of a graph take, in entries of about 50 bytes. */
  private static final int GRAPH = 16;

  private static final int NODE = 4;
  private static final int TENSOR = 8;

  /** Names together may be as long as this many of the longest; 256 MiB by default. */
  private static final int MAX_LONG_TEXTS = 4096;

  private final String file;
  private final ReaderLimits limits;
  private int nodes;
  private long entries;
  private long numbers;
  private long texts;

  ParseBudget(String file, ReaderLimits limits) {
    this.file = file;
    this.limits = limits;
  }

  int textBytes() {
    return limits.textBytes();
  }

  void countNode() {
    count(NODE);
    if (++nodes > limits.nodes()) {
      throw tooLarge("too-many-nodes", "more than " + limits.nodes() + " nodes");
    }
  }

  /** A graph or function, however small. */
  void countGraph() {
    count(GRAPH);
  }

  void countTensor() {
    count(TENSOR);
  }

  void countEntry() {
    count(1);
  }

  void count(int more) {
    entries += more;
    if (entries > limits.entries()) {
      throw tooLarge("too-many-entries", "more than " + limits.entries() + " entries");
    }
  }

  /** Counts bytes of stored names; together they may be {@value #MAX_LONG_TEXTS} long ones. */
  void countText(int bytes) {
    texts += bytes;
    long limit = (long) MAX_LONG_TEXTS * limits.textBytes();
    if (texts > limit) {
      throw tooLarge("too-much-text", "more than " + limit + " bytes of names");
    }
  }

  /** Every output has a shape of its own, so a node may not have just any number of them. */
  void requireOutputs(int outputs) {
    if (outputs > OUTPUTS) {
      throw tooLarge("too-many-entries", "a node of more than " + OUTPUTS + " outputs");
    }
  }

  /**
   * Whether as many elements of a small tensor may be stored; beyond that they count as unknown.
   */
  boolean mayKeep(int elements) {
    numbers += elements;
    return numbers <= KEPT_IN_ALL;
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
