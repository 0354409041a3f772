package dev.cotenant.serving.deployment;

import dev.cotenant.domain.quantity.Share;

/**
 * One thing to do, which may be sent again: an executor takes a step of a process once, by its
 * generation, ignores those of older generations, and never starts an id again that ran, or that it
 * was asked to stop: of one that it is asked for again it shows that it ended.
 */
public sealed interface Step {
  /** The process. */
  String id();

  /**
   * A process that is to run.
   *
   * @param share of the GPU, which it holds from now on
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

  /** A process that is to end. */
  record Stop(String id) implements Step {}
}
