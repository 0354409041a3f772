package dev.cotenant.admission.review;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * The request of an AdmissionReview, as far as it matters here.
 *
 * @param uid to be echoed
 * @param operation what is done
 * @param kind kind of the object, {@code v1/Pod}; with its group where it has one
 * @param subResource such as {@code status}; null for the object itself
 * @param namespace the object's namespace; empty for one without
 * @param username who does it; empty where the review names nobody
 * @param intent whether it is a dry run
 * @param gracePeriodSeconds how long a deleted object may take to end, 0 when it is gone at once;
 *     null where the review says nothing of it
 * @param object the object as it would be; null on DELETE
 * @param oldObject the object as it is; null on CREATE
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

  /** Whether it reports how a pod is doing. */
  public boolean isAboutPodStatus() {
    return "status".equals(subResource) && kind.equals(POD);
  }

  /** Whether it is about a pod itself, not one of its subresources. */
  public boolean isAboutPod() {
    return subResource == null && kind.equals(POD);
  }
}
