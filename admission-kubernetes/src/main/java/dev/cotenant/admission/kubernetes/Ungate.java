package dev.cotenant.admission.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiResponse;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Removes our gate from every pod, without any other component: after a removal of the controller
 * no pod stays unschedulable.
 */
public final class Ungate {
  private static final String PODS = "/api/v1/pods";
  private static final String WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/";
  private static final int PAGE = 500;
  private static final int AT_A_TIME = 16;
  private static final int ROUNDS = 4;
  private static final int ATTEMPTS = 4;
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final ApiServer server;
  private final GateRemoval removal;
  private final Duration pause;

  public Ungate(ApiServer server) {
    this(server, PAUSE);
  }

  /**
   * @param pause before the first further attempt of a call; later ones are multiples
   */
  Ungate(ApiServer server, Duration pause) {
    this.server = server;
    this.pause = pause;
    removal = new GateRemoval(server, pause);
  }

  /**
   * The result.
   *
   * @param ungated pods whose gate was removed
   * @param gone pods that were gone or ungated meanwhile
   * @param failures one line for each pod that still has our gate
   */
  public record Report(int ungated, int gone, List<String> failures) {
    public Report {
      failures = List.copyOf(failures);
    }

    /** Whether no pod has our gate any more. */
    public boolean isComplete() {
      return failures.isEmpty();
    }

    private Report plus(Report later) {
      return new Report(ungated + later.ungated, gone + later.gone, later.failures);
    }
  }

  /**
   * Deletes both webhook configurations of this name, so that no further pod is gated; missing ones
   * are fine.
   *
   * @throws IOException when the API server does not answer, or refuses
   */
  public void removeWebhooks(String name) throws IOException, InterruptedException {
    for (String kind :
        List.of("mutatingwebhookconfigurations", "validatingwebhookconfigurations")) {
      ApiResponse answer = call(ApiCall.delete(WEBHOOKS + kind + "/" + ApiCall.escaped(name)));
      if (!answer.isSuccessful() && answer.code() != ApiResponse.NOT_FOUND) {
        throw new IOException("cannot remove " + kind + "/" + name + ": " + answer.message());
      }
    }
  }

  /**
   * Removes our gate, and nothing else, from every pod; lists again afterwards, for pods created
   * meanwhile.
   *
   * @throws IOException when pods cannot be listed
   */
  public Report ungateAll() throws IOException, InterruptedException {
    Report all = new Report(0, 0, List.of());
    for (int round = 0; round < ROUNDS; round++) {
      Report found = report(removeFrom(gated()));
      all = all.plus(found);
      if (found.ungated() == 0 && found.isComplete()) {
        return all;
      }
    }
    return all;
  }

  /**
   * The pods with our gate, {@code namespace/name}, sorted.
   *
   * @throws IOException when pods cannot be listed
   */
  public List<String> gatedPods() throws IOException, InterruptedException {
    return gated().stream().map(pod -> pod.namespace() + "/" + pod.name()).sorted().toList();
  }

  private List<GateRemoval.GatedPod> gated() throws IOException, InterruptedException {
    List<GateRemoval.GatedPod> gated = new ArrayList<>();
    String next = "";
    do {
      JsonNode page = page(next);
      for (JsonNode pod : page.path("items")) {
        GateRemoval.GatedPod.of(pod).ifPresent(gated::add);
      }
      next = Json.textOr(page.path("metadata"), "continue", "");
    } while (!next.isEmpty());
    return gated;
  }

  private JsonNode page(String next) throws IOException, InterruptedException {
    String from = next.isEmpty() ? "" : "&continue=" + ApiCall.escaped(next);
    ApiResponse answer = call(ApiCall.get(PODS + "?limit=" + PAGE + from));
    if (!answer.isSuccessful()) {
      throw new IOException("pods cannot be listed: " + answer.message());
    }
    return answer.json();
  }

  /** Retries idempotent calls: a lost answer must not leave pods gated. */
  private ApiResponse call(ApiCall call) throws IOException, InterruptedException {
    for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
      try {
        return server.call(call);
      } catch (IOException _) {
        Thread.sleep(pause.multipliedBy(attempt));
      }
    }
    return server.call(call);
  }

  private List<Future<GateRemoval.Outcome>> removeFrom(List<GateRemoval.GatedPod> gated) {
    try (ExecutorService workers =
        Executors.newFixedThreadPool(AT_A_TIME, Thread.ofVirtual().factory())) {
      return gated.stream().map(pod -> workers.submit(() -> removal.remove(pod))).toList();
    } // waits for all
  }

  private static Report report(List<Future<GateRemoval.Outcome>> outcomes)
      throws InterruptedException {
    int ungated = 0;
    int gone = 0;
    List<String> failures = new ArrayList<>();
    for (Future<GateRemoval.Outcome> outcome : outcomes) {
      switch (result(outcome)) {
        case GateRemoval.Ungated _ -> ungated++;
        case GateRemoval.NotGated _ -> gone++;
        case GateRemoval.Failed(String why) -> failures.add(why);
      }
    }
    return new Report(ungated, gone, failures);
  }

  private static GateRemoval.Outcome result(Future<GateRemoval.Outcome> outcome)
      throws InterruptedException {
    try {
      return outcome.get();
    } catch (ExecutionException e) {
      return new GateRemoval.Failed(ApiServer.describe(e.getCause()));
    }
  }
}
