package dev.cotenant.admission.review;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * The request of an AdmissionReview.
 *
 * @param uid for the answer
 * @param operation the operation
 * @param kind kind of the object with its API group, {@code v1/Pod} in the core group
 * @param subResource such as {@code status}; null for the object itself
 * @param namespace of the object; empty without one
 * @param username the sender; empty without one
 * @param intent whether it is a dry run
 * @param gracePeriodSeconds of a deletion, 0 for immediate deletion; null without one
 * @param object the new object; null on DELETE
 * @param oldObject the old object; null on CREATE
 */
public record AdmissionRequest(
    String uid,
    Operation operation,
    String kind,
    @Nullable String subResource,
    String namespace,
    String username,
    Intent intent,
    @Nullable Long gracePeriodSeconds,
    @Nullable JsonNode object,
    @Nullable JsonNode oldObject) {
  private static final String POD = "v1/Pod";

  /** Whether it updates a pod's status. */
  public boolean isAboutPodStatus() {
    return "status".equals(subResource) && kind.equals(POD);
  }

  /** Whether it concerns a pod itself, not a subresource. */
  public boolean isAboutPod() {
    return subResource == null && kind.equals(POD);
  }
}
