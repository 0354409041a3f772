package dev.cotenant.domain.decision;

import java.util.List;

/** What becomes of a request. */
public sealed interface Decision {
  /**
   * {@code Admitted}, {@code Held} or {@code Denied}, as metrics, annotations and audits have it.
   */
  default String result() {
    return getClass().getSimpleName();
  }

  /** Why it does not fit; empty where it is admitted. */
  List<Reason> reasons();

  /**
   * It may run.
   *
   * @param grants one for a share, one per GPU for whole GPUs; never empty
   */
  record Admitted(List<Grant> grants, Evidence evidence) implements Decision {
    public Admitted {
      grants = List.copyOf(grants);
      if (grants.isEmpty()) {
        throw new IllegalArgumentException("grants must not be empty");
      }
    }

    @Override
    public List<Reason> reasons() {
      return List.of();
    }
  }

  /**
   * It does not fit now but could later.
   *
   * @param reasons of every eligible GPU, at least one; they may be found only when they are read,
   *     see {@link DeferredReasons}
   */
  record Held(List<Reason> reasons) implements Decision {
    public Held {
      reasons = requireReasons(reasons);
    }
  }

  /**
   * It can never fit on this cluster.
   *
   * @param reasons as of {@link Held}
   */
  record Denied(List<Reason> reasons) implements Decision {
    public Denied {
      reasons = requireReasons(reasons);
    }
  }

  private static List<Reason> requireReasons(List<Reason> reasons) {
    if (reasons instanceof DeferredReasons deferred) {
      return deferred;
    }
    if (reasons.isEmpty()) {
      throw new IllegalArgumentException("reasons must not be empty");
    }
    return List.copyOf(reasons);
  }
}
