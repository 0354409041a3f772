package dev.cotenant.admission.extender;

/** What becomes of a node for a pod. */
sealed interface NodeVerdict {
  /**
   * It will do.
   *
   * @param score 0 to 10, the more the better it packs
   */
  record Fits(int score) implements NodeVerdict {}

  /**
   * Not now.
   *
   * @param why one line with numbers
   */
  record Full(String why) implements NodeVerdict {}

  /**
   * Never, whoever leaves it.
   *
   * @param why one line with numbers
   */
  record Hopeless(String why) implements NodeVerdict {}
}
