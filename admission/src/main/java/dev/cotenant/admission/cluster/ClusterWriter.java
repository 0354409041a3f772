package dev.cotenant.admission.cluster;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.review.JsonPatch;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Port: writes to the cluster. Returns at once; the result of a write or read follows exactly once,
 * on any thread.
 */
public interface ClusterWriter {
  /** Changes a pod. A patch begins with a test of the resource version it was made for. */
  void patch(WatchedPod pod, JsonPatch patch, Consumer<WriteResult> done);

  /** Binds a pod to a node and adds annotations to it, in one write. */
  void bind(Binding binding, Consumer<WriteResult> done);

  /**
   * The binding of a pod.
   *
   * @param pod its name
   * @param uid its uid, a precondition
   * @param resourceVersion of its state, a precondition; null for any
   * @param node its node
   * @param annotations added to the pod
   */
  record Binding(
      PodIdentity pod,
      String uid,
      @Nullable String resourceVersion,
      String node,
      Map<String, String> annotations) {
    public Binding {
      annotations = Map.copyOf(annotations);
    }
  }

  /** Reads a pod from the API server, not from a cache. */
  void read(PodIdentity pod, String uid, Consumer<PodLookupResult> done);

  /** The state of a pod. */
  sealed interface PodLookupResult {
    record There(WatchedPod now) implements PodLookupResult {}

    /** The pod is gone, or has no relation to GPUs any more. */
    record Gone() implements PodLookupResult {}

    /** No answer. */
    record Unknown(String why) implements PodLookupResult {}
  }

  /** Deletes a pod of this uid, so that its controller makes a new one. */
  void delete(WatchedPod pod, Consumer<WriteResult> done);

  /**
   * Evicts a pod of this uid [policy/v1 Eviction], so that its PodDisruptionBudgets are respected.
   * Repeated evictions of one uid are harmless.
   */
  default void evict(WatchedPod pod, Consumer<EvictionResult> done) {
    done.accept(new EvictionResult.Refused("pods cannot be evicted here"));
  }

  /** The result of an eviction. */
  sealed interface EvictionResult {
    /** The pod terminates. */
    record Evicted() implements EvictionResult {}

    /** There is no pod of this uid. */
    record Gone() implements EvictionResult {}

    /** A PodDisruptionBudget does not allow it now. */
    record Blocked(String why) implements EvictionResult {}

    /** The outcome is unknown: there was no answer. */
    record Unknown(String why) implements EvictionResult {}

    /** The API server refused. */
    record Refused(String why) implements EvictionResult {}
  }

  /**
   * Creates a ResourceClaim [resource.k8s.io/v1] in the pod's namespace, with the pod as an owner.
   * {@code Done} where a claim of this name selects the same devices, whatever their sharing;
   * {@code Refused} where it selects others: claims are immutable. A pod's own claim of a MIG
   * device is accepted unchanged: an earlier leader may have selected a different profile.
   *
   * @param name of the claim
   */
  default void claim(WatchedPod pod, String name, DeviceClaim wanted, Consumer<WriteResult> done) {
    done.accept(new WriteResult.Refused("claims of devices cannot be made here"));
  }

  /**
   * The devices of a claim.
   *
   * @param deviceClass such as {@code gpu.nvidia.com}
   * @param expression CEL expression that each device must meet
   * @param devices at least 1
   * @param sharing how the pods that name the claim share the devices
   * @param memory requested of each device, which other claims may share; null for whole devices
   */
  record DeviceClaim(
      String deviceClass,
      String expression,
      int devices,
      ClaimSharing sharing,
      @Nullable MemorySize memory) {
    /** The class of MIG devices, of NVIDIA's driver. */
    public static final String MIG = "mig.nvidia.com";
  }

  /** Reports an Event; it may be lost. */
  void report(WatchedPod pod, PodEvent event);

  /**
   * An Event about a pod.
   *
   * @param weight its type
   * @param reason CamelCase, such as {@code Held}
   * @param message one line, at most 1,024 bytes
   */
  record PodEvent(Weight weight, String reason, String message) {
    /** The types of Kubernetes. */
    public enum Weight {
      NORMAL,
      WARNING
    }
  }

  /** The result of a write. */
  sealed interface WriteResult {
    record Done() implements WriteResult {}

    /** The object has changed: read again, then decide again. */
    record Conflict() implements WriteResult {}

    record Gone() implements WriteResult {}

    /** The outcome is unknown: there was no answer. */
    record Unknown(String why) implements WriteResult {}

    /** The API server refused. */
    record Refused(String why) implements WriteResult {}
  }
}
