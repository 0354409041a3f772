package dev.cotenant.simulator.pairs;

/** Who decides where a pod goes. */
interface PairPolicy {
  /** As it is asked for. */
  String name();

  /** Puts a pod on one of its candidates, or on a GPU of its own. */
  void place(ReplayedJob job, PairCluster cluster);
}
