package dev.cotenant.lab.pairs;

import java.util.Locale;

/** Of which runs a cluster has learned before a job comes. */
enum PriorRuns {
  /**
   * Of all, the job's own included: it comes again. Jobs of which there is no graph here have been
   * registered by their owners: what is remembered of them does not depend on what it says.
   */
  REGISTERED,
  /** Of all, the job's own included: it comes again. Jobs without a graph are unknown models. */
  ALL,
  /**
   * Of every other batch and precision of any model, the job's own model included, but never it.
   */
  OTHERS,
  /** Of one half of the batches and precisions, drawn once; the job is of the other. */
  HALF,
  /** Of other models only: the job's model has never run. */
  OTHER_MODELS;

  /** As policies are named. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
