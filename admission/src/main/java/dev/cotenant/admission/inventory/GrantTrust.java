package dev.cotenant.admission.inventory;

import dev.cotenant.admission.cluster.ForeignGpus;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whose word is taken for what was granted. In namespaces that are opted in the webhook keeps
 * everybody else from writing grants. In others it is not asked, and yet grants are there: of pods
 * that came by the scheduler extender, and of those whose namespace was opted in once. There a pod
 * is trusted that has a node and says of no more GPUs than it asks for that they are its own, so
 * that nobody gets more by a lie than by asking for GPUs.
 */
public final class GrantTrust {
  private final Predicate<String> optedIn;

  public GrantTrust(Predicate<String> optedIn) {
    this.optedIn = optedIn;
  }

  /** Why a grant that a pod says it has is not trusted; null where it is. */
  public @Nullable String whyNot(WatchedPod pod) {
    if (optedIn.test(pod.pod().namespace())) {
      return null;
    }
    if (pod.scheduling().node() == null) {
      return "its namespace is not opted in and it has no node, so that anybody may have written"
          + " it";
    }
    return assigned(pod) > ForeignGpus.requested(pod.request())
        ? "its namespace is not opted in and it asks for fewer GPUs, so that anybody may have"
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
