package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.ClusterWriter.PodLookupResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiResponse;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.RequestQueue.Result;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads single pods from the API server, also those that no watch shows. */
public final class PodLookup {
  private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;

  private final ApiServer server;

  /** Whether a pod is in the API server and not finished. */
  public enum Presence {
    THERE,
    GONE,
    /** No answer. */
    UNKNOWN
  }

  public PodLookup(ApiServer server) {
    this.server = server;
  }

  /** Whether a pod is gone or finished; false without an answer. */
  public boolean isGone(BoundPod pod) {
    return presence(pod, null) == Presence.GONE;
  }

  /**
   * Looks a pod up.
   *
   * @param admissionId required value of the pod's annotation; null matches any
   */
  public Presence presence(BoundPod pod, @Nullable String admissionId) {
    try {
      ApiResponse answer = server.call(call(pod.namespace(), pod.name()));
      if (answer.code() == BAD_REQUEST || answer.code() == NOT_FOUND) {
        return Presence.GONE; // no pod can have such a name
      }
      if (!answer.isSuccessful() || !answer.json().path("items").isArray()) {
        return Presence.UNKNOWN;
      }
      return isThere(answer.json(), pod, admissionId) ? Presence.THERE : Presence.GONE;
    } catch (IOException e) {
      return Presence.UNKNOWN;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Presence.UNKNOWN;
    }
  }

  /** Query for a list of a single pod, which needs only the right to list. */
  public static ApiCall call(String namespace, String name) {
    return ApiCall.get(
        ApiCall.namespaced("/api/v1", namespace, "pods")
            + "?fieldSelector="
            + ApiCall.escaped("metadata.name=" + name));
  }

  /** The pod with this uid in a list of a single pod. */
  public static PodLookupResult result(String uid, Result result) {
    return switch (result) {
      case Result.Answered(ApiResponse answer)
          when answer.isSuccessful() && answer.json().path("items").isArray() ->
          result(uid, answer.json().path("items"));
      case Result.Answered(ApiResponse answer) -> new PodLookupResult.Unknown(answer.message());
      case Result.Unanswered(String why) -> new PodLookupResult.Unknown(why);
      case Result.NotSent(String why) -> new PodLookupResult.Unknown(why);
    };
  }

  private static PodLookupResult result(String uid, JsonNode items) {
    try {
      for (JsonNode item : items) {
        if (uid.equals(item.path("metadata").path("uid").asText())) {
          Optional<WatchedPod> read = new PodReader().read(item);
          return read.isPresent()
              ? new PodLookupResult.There(read.get())
              : new PodLookupResult.Gone();
        }
      }
      return new PodLookupResult.Gone();
    } catch (InputException e) {
      return new PodLookupResult.Unknown(String.valueOf(e.getMessage()));
    }
  }

  private static boolean isThere(JsonNode list, BoundPod pod, @Nullable String admissionId) {
    for (JsonNode item : list.path("items")) {
      JsonNode metadata = item.path("metadata");
      String found = metadata.path("annotations").path(CotenantAnnotations.ADMISSION_ID).asText();
      if (pod.uid().equals(metadata.path("uid").asText())
          && (admissionId == null || admissionId.equals(found))) {
        return !FINISHED.contains(item.path("status").path("phase").asText());
      }
    }
    return false;
  }
}
