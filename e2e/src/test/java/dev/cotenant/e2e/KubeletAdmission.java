package dev.cotenant.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Admission of pods by the kubelet of one node: resources first, then node selector and required
 * node affinity [Kubernetes, pkg/kubelet/lifecycle/predicate.go]. Host ports and taints are not
 * checked.
 */
final class KubeletAdmission {
  private final GpuNode node;
  private final Map<String, Map<String, BigDecimal>> admitted = new HashMap<>();

  KubeletAdmission(GpuNode node) {
    this.node = node;
  }

  /** The reason and the message of the status of a rejected pod. */
  record Rejection(String reason, String message) {}

  /** Admits a pod, or says why not; a pod that is admitted already stays so. */
  Optional<Rejection> admit(Pod pod) {
    String uid = pod.getMetadata().getUid();
    if (admitted.containsKey(uid)) {
      return Optional.empty();
    }
    Optional<Rejection> rejection = missing(pod).or(() -> misplaced(pod));
    if (rejection.isEmpty()) {
      admitted.put(uid, PodRequests.of(pod));
    }
    return rejection;
  }

  boolean hasAdmitted(String uid) {
    return admitted.containsKey(uid);
  }

  /** Forgets a pod that has ended or is gone. */
  void release(String uid) {
    admitted.remove(uid);
  }

  private Optional<Rejection> missing(Pod pod) {
    Map<String, BigDecimal> requests = PodRequests.of(pod);
    Map<String, BigDecimal> used = PodRequests.sum(admitted.values());
    Map<String, String> allocatable = node.allAllocatable();
    for (String resource : PodRequests.inOrder(requests)) {
      BigDecimal taken = used.getOrDefault(resource, BigDecimal.ZERO);
      BigDecimal capacity =
          new Quantity(allocatable.getOrDefault(resource, "0")).getNumericalAmount();
      BigDecimal request = requests.get(resource);
      if (request.signum() > 0 && taken.add(request).compareTo(capacity) > 0) {
        return Optional.of(
            new Rejection(
                "OutOf" + resource,
                "Node didn't have enough resource: %s, requested: %s, used: %s, capacity: %s"
                    .formatted(resource, request, taken, capacity)));
      }
    }
    return Optional.empty();
  }

  private Optional<Rejection> misplaced(Pod pod) {
    return NodeSelection.matches(pod, node)
        ? Optional.empty()
        : Optional.of(new Rejection("NodeAffinity", "Predicate NodeAffinity failed"));
  }
}
