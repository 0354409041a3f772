package dev.cotenant.admission.patch;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Targeting;
import java.util.Map;
import java.util.Optional;

/**
 * What dynamic resource allocation asks of a pod when it is created: that it names a ResourceClaim,
 * for that cannot be added later. Cotenant makes the claim once it is known which GPU the pod gets.
 */
public final class ClaimEntries {
  /** The pod's own name for the claim, where it does not have one yet. */
  private static final String NAME = "cotenant-gpu";

  private ClaimEntries() {}

  /** Why a pod cannot be sent to a GPU by its claim; empty where it can, or goes another way. */
  public static Optional<String> whyNot(Colocatable pod, PodDocument document, Policy policy) {
    if (policy.targeting() != Targeting.DRA) {
      return Optional.empty();
    }
    if (pod.gpu().dialect().asksDevicePlugin()) {
      return Optional.of(
          pod.gpu().container()
              + " asks the device plugin for a GPU, which would be another than that of its claim;"
              + " ask by the annotation "
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

  /** The ResourceClaim that a pod names by its annotation; empty where it names none. */
  public static String resourceClaim(PodDocument document) {
    return document.annotations().getOrDefault(CotenantAnnotations.RESOURCE_CLAIM, "");
  }

  /** The pod's own name for its ResourceClaim. */
  public static String name(PodDocument document) {
    String resourceClaim = resourceClaim(document);
    return document.resourceClaims().entrySet().stream()
        .filter(entry -> entry.getValue().equals(resourceClaim))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(NAME);
  }
}
