package dev.cotenant.placement.fleet;

/** How requests come. */
public enum Arrivals {
  /** At equal intervals, as the papers' planners assume. */
  CONSTANT,
  /** Independent arrivals, so that requests queue. */
  POISSON
}
