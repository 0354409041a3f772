package dev.cotenant.lab.reinforcement;

/** What an agent acts in. The same seed and choices give the same states and rewards. */
public interface Environment {
  /** What the states and choices look like. */
  Shape shape();

  /** Starts an episode. */
  void begin(long seed);

  /** The state now. */
  float[] state();

  /**
   * One step.
   *
   * @param choices one per head, from 0
   * @return the reward, in units of about 1
   */
  double apply(int[] choices);

  /**
   * Sizes of states and choices.
   *
   * @param state numbers in a state
   * @param heads how many choices a step takes
   * @param options of each choice
   */
  record Shape(int state, int heads, int options) {
    public Shape {
      if (state < 1 || heads < 1 || options < 2) {
        throw new IllegalArgumentException(
            "a shape needs numbers, heads and at least 2 options, not "
                + state
                + ", "
                + heads
                + " and "
                + options);
      }
    }

    /** Numbers that a network answers. */
    int outputs() {
      return heads * options;
    }
  }
}
