package dev.cotenant.admission.extender;

/** Result for a pod on a node. */
public sealed interface NodeResult {
  /**
   * It fits.
   *
   * @param score 0 to 10, higher for better packing
   */
  record Fits(int score) implements NodeResult {}

  /**
   * It does not fit now.
   *
   * @param why one line with numbers
   */
  record Full(String why) implements NodeResult {}

  /**
   * It can never fit.
   *
   * @param why one line with numbers
   */
  record Hopeless(String why) implements NodeResult {}
}
