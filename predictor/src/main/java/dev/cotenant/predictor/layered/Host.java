package dev.cotenant.predictor.layered;

/**
 * Who asks. A driver's context and the libraries that a framework loads differ between hosts by
 * hundreds of MiB, and no graph tells them.
 */
enum Host {
  /** One whose runs were learned from. */
  MEASURED,
  /** One of which no run was learned from. */
  NEW,
  /**
   * Nobody says. Near measured runs the bounds are as if they were its own, far from them they are
   * a new host's.
   */
  UNKNOWN
}
