package dev.cotenant.admission.inventory;

import dev.cotenant.admission.cluster.ForeignGpus;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Trust in the annotations of grants. In opted-in namespaces the webhook refuses annotations by
 * others. Grants exist in other namespaces too: of pods placed by the scheduler extender, and of
 * namespaces that were opted in before. A pod there is trusted if it has a node and its annotations
 * name no more GPUs than it requests, so that a forged grant takes no more than a request.
 */
public final class GrantTrust {
  private final Predicate<String> optedIn;

  public GrantTrust(Predicate<String> optedIn) {
    this.optedIn = optedIn;
  }

  /** Why the grant in the annotations of a pod is not trusted; null where it is. */
  public @Nullable String whyNot(WatchedPod pod) {
    if (optedIn.test(pod.pod().namespace())) {
      return null;
    }
    if (pod.scheduling().node() == null) {
      return "its namespace is not opted in and it has no node, so that any user may have written"
          + " it";
    }
    return assigned(pod) > ForeignGpus.requested(pod.request())
        ? "its namespace is not opted in and it requests fewer GPUs, so that any user may have"
            + " written it"
        : null;
  }

  public boolean trusts(WatchedPod pod) {
    return whyNot(pod) == null;
  }

  private static int assigned(WatchedPod pod) {
    String all = pod.annotations().getOrDefault(CotenantAnnotations.ASSIGNED_GPU, "");
    return all.isEmpty() ? 0 : all.split(",", -1).length;
  }
}
