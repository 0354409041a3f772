package dev.cotenant.lab.pairs;

/**
 * Decides where a pod goes.
 *
 * @param name on the command line
 */
record PairPolicy(String name, Placing placing) {
  /** How a policy decides. */
  @FunctionalInterface
  interface Placing {
    /** Puts a pod on one of its candidates, or on a GPU of its own. */
    void place(ReplayedJob job, PairCluster cluster);
  }
}
