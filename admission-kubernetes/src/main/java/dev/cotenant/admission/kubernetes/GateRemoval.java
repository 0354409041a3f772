package dev.cotenant.admission.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.kubernetes.api.ApiAnswer;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.review.JsonPatch;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes our gate from a pod, as often as it takes while others change the pod. */
final class GateRemoval {
  private static final int ATTEMPTS = 6;
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final ApiServer server;

  GateRemoval(ApiServer server) {
    this.server = server;
  }

  /** What became of a pod. */
  sealed interface Fate {}

  /** Our gate was taken. */
  record Ungated() implements Fate {}

  /** It is gone, or has our gate no more. */
  record LetGo() implements Fate {}

  /** Our gate still holds it. */
  record Failed(String why) implements Fate {}

  /**
   * A pod that our gate holds.
   *
   * @param namespace its namespace
   * @param name its name
   * @param index of our gate among its gates
   */
  record Held(String namespace, String name, int index) {
    /** Empty where our gate is not among its gates. */
    static Optional<Held> of(JsonNode pod) {
      JsonNode gates = pod.path("spec").path("schedulingGates");
      @Nullable String namespace = Json.text(pod.path("metadata"), "namespace");
      @Nullable String name = Json.text(pod.path("metadata"), "name");
      for (int i = 0; i < gates.size() && namespace != null && name != null; i++) {
        if (WatchedPod.GATE.equals(Json.text(gates.path(i), "name"))) {
          return Optional.of(new Held(namespace, name, i));
        }
      }
      return Optional.empty();
    }

    String path() {
      return ApiCall.namespaced("/api/v1", namespace, "pods", name);
    }

    /** One that is listed, as whoever may list pods need not be allowed to get one. */
    String query() {
      return ApiCall.namespaced("/api/v1", namespace, "pods")
          + "?fieldSelector="
          + ApiCall.escaped("metadata.name=" + name);
    }

    /** Removes the gate at this place if it is ours. */
    JsonPatch patch() {
      String gate = "/spec/schedulingGates/" + index;
      return new JsonPatch(
          List.of(
              new JsonPatch.Test(gate + "/name", TextNode.valueOf(WatchedPod.GATE)),
              new JsonPatch.Remove(gate)));
    }
  }

  Fate remove(Held pod) throws InterruptedException {
    String why = "";
    Held held = pod;
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        ApiAnswer answer = server.ask(ApiCall.patch(held.path(), held.patch()));
        if (answer.isSuccessful()) {
          return new Ungated();
        }
        why = answer.message();
        Optional<Held> still = reread(held);
        if (still.isEmpty()) {
          return new LetGo();
        }
        held = still.get();
      } catch (IOException e) {
        why = ApiServer.describe(e);
      }
      Thread.sleep(PAUSE.multipliedBy(attempt));
    }
    return new Failed(pod.path() + ": " + why);
  }

  /** The pod as it is now; as it was where that cannot be told. */
  private Optional<Held> reread(Held before) throws IOException, InterruptedException {
    ApiAnswer answer = server.ask(ApiCall.get(before.query()));
    return answer.isSuccessful()
        ? Held.of(answer.json().path("items").path(0))
        : Optional.of(before);
  }
}
