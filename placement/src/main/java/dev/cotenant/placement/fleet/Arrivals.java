package dev.cotenant.placement.fleet;

/** How requests come. */
public enum Arrivals {
  /** At equal intervals, as the papers' planners assume. */
  CONSTANT,
  /** Independently of each other, so that they queue. */
  POISSON
}
