package dev.cotenant.admission.inventory;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Trust in the annotations of grants. In opted-in namespaces the webhook refuses annotations by
 * others. Grants exist in other namespaces too: of pods placed by the scheduler extender, and of
 * namespaces that were opted in before. There every user may write annotations, so that a grant is
 * trusted only where the record of the leaders has it.
 */
public final class GrantTrust {
  private final Predicate<String> optedIn;
  private final Predicate<WatchedPod> recorded;

  /**
   * @param optedIn namespaces that a webhook guards
   * @param recorded whether earlier leaders granted a pod what its annotations say
   */
  public GrantTrust(Predicate<String> optedIn, Predicate<WatchedPod> recorded) {
    this.optedIn = optedIn;
    this.recorded = recorded;
  }

  /** Why the grant in the annotations of a pod is not trusted; null where it is, or has none. */
  public @Nullable String whyNot(WatchedPod pod) {
    boolean claims =
        pod.annotations().containsKey(CotenantAnnotations.ASSIGNED_GPU)
            || pod.annotations().containsKey(CotenantAnnotations.ASSIGNED_NODE);
    return !claims || optedIn.test(pod.pod().namespace()) || recorded.test(pod)
        ? null
        : "its namespace is not opted in and no leader has recorded the grant, so that any user may"
            + " have written it";
  }

  public boolean trusts(WatchedPod pod) {
    return whyNot(pod) == null;
  }
}
