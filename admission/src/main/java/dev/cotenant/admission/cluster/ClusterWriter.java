package dev.cotenant.admission.cluster;

import dev.cotenant.admission.review.JsonPatch;
import java.util.function.Consumer;

/**
 * Port: what the controller does to the cluster. Returns at once; what became of a write, and what
 * a look has shown, is told later, exactly once, on whichever thread.
 */
public interface ClusterWriter {
  /** Changes a pod. A patch begins with a test of the resource version it was made for. */
  void patch(WatchedPod pod, JsonPatch patch, Consumer<WriteResult> done);

  /** Looks how a pod is now, which no cache may answer. */
  void look(WatchedPod pod, Consumer<PodLookupResult> done);

  /** How a pod is. */
  sealed interface PodLookupResult {
    /** It is there, like this. */
    record There(WatchedPod now) implements PodLookupResult {}

    /** It is not there any more, or has nothing to do with GPUs any more. */
    record Gone() implements PodLookupResult {}

    /** Nobody knows: no answer came. */
    record Unknown(String why) implements PodLookupResult {}
  }

  /** Deletes a pod of this uid, so that its controller makes a new one. */
  void delete(WatchedPod pod, Consumer<WriteResult> done);

  /**
   * Makes a ResourceClaim [resource.k8s.io/v1] in the pod's namespace that selects devices; the pod
   * is among its owners. {@code Done} where there is one of this name that selects the same, {@code
   * Refused} where it selects others: claims cannot be changed.
   *
   * @param name of the claim
   */
  default void claim(WatchedPod pod, String name, DeviceClaim wanted, Consumer<WriteResult> done) {
    done.accept(new WriteResult.Refused("claims of devices cannot be made here"));
  }

  /**
   * Which devices a claim wants.
   *
   * @param deviceClass such as {@code gpu.nvidia.com}
   * @param expression CEL expression that each device must meet
   * @param devices how many, at least 1
   */
  record DeviceClaim(String deviceClass, String expression, int devices) {}

  /** Tells whoever looks at the pod; may be lost. */
  void report(WatchedPod pod, PodEvent event);

  /**
   * An Event about a pod.
   *
   * @param weight whether somebody should look
   * @param reason CamelCase, such as {@code Held}
   * @param message one line, at most 1,024 bytes
   */
  record PodEvent(Weight weight, String reason, String message) {
    /** The types that Kubernetes has. */
    public enum Weight {
      NORMAL,
      WARNING
    }
  }

  /** What became of a write. */
  sealed interface WriteResult {
    /** It is done. */
    record Done() implements WriteResult {}

    /** Somebody changed the object meanwhile: look again, then decide again. */
    record Conflict() implements WriteResult {}

    /** The object is gone. */
    record Gone() implements WriteResult {}

    /** Nobody knows whether it was done: the answer did not come. */
    record Unknown(String why) implements WriteResult {}

    /** The API server refused. */
    record Refused(String why) implements WriteResult {}
  }
}
