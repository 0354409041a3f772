package dev.cotenant.serving.deployment;

import dev.cotenant.domain.quantity.Share;

/** One thing to do. */
public sealed interface Step {
  /** The process. */
  String id();

  /**
   * Starts a process.
   *
   * @param share share of the GPU, held from now on
   * @param batch the largest that it runs
   */
  record Start(String id, String gpu, String service, Share share, int batch) implements Step {}

  /**
   * Another share or batch, of a process that serves throughout: by a standby process where the
   * share of one that runs cannot be changed, as in iGniter.
   */
  record Set(String id, Share share, int batch) implements Step {}

  /** Stops a process. */
  record Stop(String id) implements Step {}
}
