package dev.cotenant.predictor.model;

/**
 * Knowledge of a run's host. A driver's context and the libraries that a framework loads differ
 * between hosts by hundreds of MiB, and no graph shows them.
 */
public enum Host {
  /** A host with measured runs. */
  MEASURED,
  /** A host without measured runs, or an unnamed one. */
  UNKNOWN
}
