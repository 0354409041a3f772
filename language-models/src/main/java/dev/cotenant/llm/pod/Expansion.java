package dev.cotenant.llm.pod;

/**
 * Characters that a container's references and variables may be replaced by, over all its words and
 * scripts: short manifests could otherwise stand for gigabytes. Once exceeded, nothing more is
 * inserted.
 */
final class Expansion {
  /** Most characters; Linux takes half of that for one argument. */
  static final int MAX = 256 << 10;

  private int left = MAX;

  /** Whether so many more may be inserted. */
  boolean takes(int characters) {
    left = characters > left ? -1 : left - characters;
    return left >= 0;
  }
}
