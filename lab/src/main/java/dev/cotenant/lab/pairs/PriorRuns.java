package dev.cotenant.lab.pairs;

import java.util.Locale;

/** Of which runs a cluster has learned before a job comes. */
enum PriorRuns {
  /**
   * Of all, the job's own included: it comes again. Jobs without a known graph count as registered
   * by their owners: their runs are remembered independently of the graph.
   */
  REGISTERED,
  /** Of all, the job's own included: it comes again. Jobs without a graph are unknown models. */
  ALL,
  /**
   * Of every other batch and precision of any model, the job's own model included, but never it.
   */
  OTHERS,
  /** A random half of the batches and precisions, drawn once, without the job. */
  HALF,
  /** Of other models only: the job's model has never run. */
  OTHER_MODELS;

  /** As policies are named. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
