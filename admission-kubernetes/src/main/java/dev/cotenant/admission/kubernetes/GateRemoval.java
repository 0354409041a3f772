package dev.cotenant.admission.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiResponse;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.review.JsonPatch;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Removes our gate from a pod, with retries while others change the pod. */
final class GateRemoval {
  private static final int ATTEMPTS = 6;

  private final ApiServer server;
  private final Duration pause;

  /**
   * @param pause after the first attempt; later pauses are multiples
   */
  GateRemoval(ApiServer server, Duration pause) {
    this.server = server;
    this.pause = pause;
  }

  /** The result of a removal. */
  sealed interface Outcome {}

  /** Our gate was taken. */
  record Ungated() implements Outcome {}

  /** The pod is gone, or no longer has our gate. */
  record NotGated() implements Outcome {}

  /** The pod still has our gate. */
  record Failed(String why) implements Outcome {}

  /**
   * A pod with our gate.
   *
   * @param namespace its namespace
   * @param name its name
   * @param index position of our gate in the pod's gates
   */
  record GatedPod(String namespace, String name, int index) {
    /** Empty where our gate is not among its gates. */
    static Optional<GatedPod> of(JsonNode pod) {
      JsonNode gates = pod.path("spec").path("schedulingGates");
      @Nullable String namespace = Json.text(pod.path("metadata"), "namespace");
      @Nullable String name = Json.text(pod.path("metadata"), "name");
      for (int i = 0; i < gates.size() && namespace != null && name != null; i++) {
        if (WatchedPod.GATE.equals(Json.text(gates.path(i), "name"))) {
          return Optional.of(new GatedPod(namespace, name, i));
        }
      }
      return Optional.empty();
    }

    String path() {
      return ApiCall.namespaced("/api/v1", namespace, "pods", name);
    }

    /** Query for a list of a single pod, which needs only the right to list. */
    String query() {
      return ApiCall.namespaced("/api/v1", namespace, "pods")
          + "?fieldSelector="
          + ApiCall.escaped("metadata.name=" + name);
    }

    /** Removes the gate at this index if it is ours. */
    JsonPatch patch() {
      String gate = "/spec/schedulingGates/" + index;
      return new JsonPatch(
          List.of(
              new JsonPatch.Test(gate + "/name", TextNode.valueOf(WatchedPod.GATE)),
              new JsonPatch.Remove(gate)));
    }
  }

  Outcome remove(GatedPod pod) throws InterruptedException {
    String why = "";
    GatedPod gated = pod;
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        ApiResponse answer = server.call(ApiCall.patch(gated.path(), gated.patch()));
        if (answer.isSuccessful()) {
          return new Ungated();
        }
        why = answer.message();
        Optional<GatedPod> still = reread(gated);
        if (still.isEmpty()) {
          return new NotGated();
        }
        gated = still.get();
      } catch (IOException e) {
        why = ApiServer.describe(e);
      }
      Thread.sleep(pause.multipliedBy(attempt));
    }
    return new Failed(pod.path() + ": " + why);
  }

  /** The pod now; its last known state where that is unknown. */
  private Optional<GatedPod> reread(GatedPod before) throws IOException, InterruptedException {
    ApiResponse answer = server.call(ApiCall.get(before.query()));
    return answer.isSuccessful()
        ? GatedPod.of(answer.json().path("items").path(0))
        : Optional.of(before);
  }
}
