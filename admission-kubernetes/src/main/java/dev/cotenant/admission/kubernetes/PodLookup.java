package dev.cotenant.admission.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import java.io.IOException;
import java.util.Set;

/** Asks the API server about single pods, those that no watch shows as well. */
public final class PodLookup {
  private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

  private final ApiServer server;

  public PodLookup(ApiServer server) {
    this.server = server;
  }

  /** Whether a pod is gone or has finished; not where nobody answers. */
  public boolean isGone(BoundPod pod) {
    try {
      ApiAnswer answer =
          server.ask(
              ApiCall.get(
                  ApiCall.namespaced("/api/v1", pod.namespace(), "pods")
                      + "?fieldSelector="
                      + ApiCall.escaped("metadata.name=" + pod.name())));
      return answer.isSuccessful() && answer.json().has("items") && !isThere(answer.json(), pod);
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean isThere(JsonNode list, BoundPod pod) {
    for (JsonNode item : list.path("items")) {
      if (pod.uid().equals(item.path("metadata").path("uid").asText())) {
        return !FINISHED.contains(item.path("status").path("phase").asText());
      }
    }
    return false;
  }
}
