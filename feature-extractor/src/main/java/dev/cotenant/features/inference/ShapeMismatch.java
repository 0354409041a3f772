package dev.cotenant.features.inference;

/**
 * The inputs of a node contradict its operator. Thrown by rules, caught where they are applied: the
 * node's outputs are then unknown and a warning names it.
 */
public final class ShapeMismatch extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ShapeMismatch(String message) {
    super(message, null, false, false);
  }
}
