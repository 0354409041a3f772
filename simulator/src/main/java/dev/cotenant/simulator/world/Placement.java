package dev.cotenant.simulator.world;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a policy does with a queued job. */
public sealed interface Placement {
  /** It stays in the queue. */
  record Wait() implements Placement {}

  /**
   * It starts.
   *
   * @param gpu an open GPU
   * @param access whether further jobs may join
   * @param review after so long the policy decides again; null: never
   */
  record Start(GpuView gpu, Access access, @Nullable Duration review) implements Placement {}

  /** Whether jobs may join a GPU. */
  enum Access {
    OPEN,
    /** Until a review opens it, or its job ends. */
    CLOSED
  }

  /** The job stays in the queue. */
  static Placement waiting() {
    return new Wait();
  }

  /** Starts on a GPU that others may join. */
  static Placement on(GpuView gpu) {
    return new Start(gpu, Access.OPEN, null);
  }

  /** Starts on an idle GPU that no job may join. */
  static Placement alone(GpuView gpu) {
    return new Start(gpu, Access.CLOSED, null);
  }

  /** Starts on an idle GPU that no job may join before a review. */
  static Placement profiled(GpuView gpu, Duration review) {
    return new Start(gpu, Access.CLOSED, review);
  }
}
