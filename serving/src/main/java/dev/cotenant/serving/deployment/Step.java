package dev.cotenant.serving.deployment;

import dev.cotenant.domain.quantity.Share;

/**
 * An idempotent instruction: an executor applies a step of a process once, by its generation,
 * ignores older generations, and never restarts an id that ran or was stopped: it reports such an
 * id as ended.
 */
public sealed interface Step {
  /** The process. */
  String id();

  /**
   * Starts a process.
   *
   * @param share share of the GPU, held from now on
   * @param batch the largest that it runs
   * @param generation of the step
   */
  record Start(String id, String gpu, String service, Share share, int batch, long generation)
      implements Step {}

  /**
   * Another share or batch, of a process that serves throughout: by a standby process where the
   * share of one that runs cannot be changed, as in iGniter.
   */
  record Set(String id, Share share, int batch, long generation) implements Step {}

  /** Stops a process. */
  record Stop(String id) implements Step {}
}
