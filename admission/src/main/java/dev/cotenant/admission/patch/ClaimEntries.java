package dev.cotenant.admission.patch;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.GpuAssignment;
import java.util.Map;
import java.util.Optional;

/**
 * The entries of a pod for dynamic resource allocation: the pod names a ResourceClaim at its
 * creation, since none can be added later. Cotenant creates the claim after the grant.
 */
public final class ClaimEntries {
  /** The pod's own name of the claim, where it has none. */
  private static final String NAME = "cotenant-gpu";

  private ClaimEntries() {}

  /** Why a pod cannot use a claim; empty where it can, or its GPU assignment needs none. */
  public static Optional<String> whyNot(Colocatable pod, PodDocument document, Policy policy) {
    if (policy.gpuAssignment() != GpuAssignment.DRA) {
      return Optional.empty();
    }
    if (pod.gpu().dialect().asksDevicePlugin()) {
      return Optional.of(
          pod.gpu().container()
              + " requests a GPU of the device plugin, which differs from that of its claim;"
              + " request it by the annotation "
              + CotenantAnnotations.RESOURCE_CLAIM
              + " alone");
    }
    if (!document.annotations().containsKey(CotenantAnnotations.RESOURCE_CLAIM)) {
      return Optional.of(
          "the pod names no ResourceClaim; name one by the annotation "
              + CotenantAnnotations.RESOURCE_CLAIM
              + ", the same for pods that may share a GPU");
    }
    return taken(document)
        ? Optional.of("the pod has a claim " + NAME + " of another ResourceClaim; rename it")
        : Optional.empty();
  }

  private static boolean taken(PodDocument document) {
    Map<String, String> claims = document.resourceClaims();
    return !claims.containsValue(resourceClaim(document)) && claims.containsKey(NAME);
  }

  /** The ResourceClaim of the pod's annotation; empty without one. */
  public static String resourceClaim(PodDocument document) {
    return document.annotations().getOrDefault(CotenantAnnotations.RESOURCE_CLAIM, "");
  }

  /** The pod's own name of its ResourceClaim. */
  public static String name(PodDocument document) {
    String resourceClaim = resourceClaim(document);
    return document.resourceClaims().entrySet().stream()
        .filter(entry -> entry.getValue().equals(resourceClaim))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(NAME);
  }
}
