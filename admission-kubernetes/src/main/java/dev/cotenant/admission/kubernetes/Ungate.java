package dev.cotenant.admission.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.api.ApiAnswer;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
  private static final int PASSES = 4;
  private static final int ATTEMPTS = 4;
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final ApiServer server;
  private final GateRemoval removal;

  public Ungate(ApiServer server) {
    this.server = server;
    removal = new GateRemoval(server);
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
      ApiAnswer answer = ask(ApiCall.delete(WEBHOOKS + kind + "/" + ApiCall.escaped(name)));
      if (!answer.isSuccessful() && answer.code() != ApiAnswer.NOT_FOUND) {
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
    for (int pass = 0; pass < PASSES; pass++) {
      Report found = report(removeFrom(held()));
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
  public List<String> heldPods() throws IOException, InterruptedException {
    return held().stream().map(pod -> pod.namespace() + "/" + pod.name()).sorted().toList();
  }

  private List<GateRemoval.Held> held() throws IOException, InterruptedException {
    List<GateRemoval.Held> held = new ArrayList<>();
    String next = "";
    do {
      JsonNode page = page(next);
      for (JsonNode pod : page.path("items")) {
        Optional<GateRemoval.Held> one = GateRemoval.Held.of(pod);
        one.ifPresent(held::add);
      }
      next = Json.textOr(page.path("metadata"), "continue", "");
    } while (!next.isEmpty());
    return held;
  }

  private JsonNode page(String next) throws IOException, InterruptedException {
    String from = next.isEmpty() ? "" : "&continue=" + ApiCall.escaped(next);
    ApiAnswer answer = ask(ApiCall.get(PODS + "?limit=" + PAGE + from));
    if (!answer.isSuccessful()) {
      throw new IOException("pods cannot be listed: " + answer.message());
    }
    return answer.json();
  }

  /** Retries idempotent calls: a lost answer must not leave pods gated. */
  private ApiAnswer ask(ApiCall call) throws IOException, InterruptedException {
    for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
      try {
        return server.ask(call);
      } catch (IOException _) {
        Thread.sleep(PAUSE.multipliedBy(attempt));
      }
    }
    return server.ask(call);
  }

  private List<Future<GateRemoval.Fate>> removeFrom(List<GateRemoval.Held> held) {
    try (ExecutorService workers =
        Executors.newFixedThreadPool(AT_A_TIME, Thread.ofVirtual().factory())) {
      return held.stream().map(pod -> workers.submit(() -> removal.remove(pod))).toList();
    } // waits for all
  }

  private static Report report(List<Future<GateRemoval.Fate>> fates) throws InterruptedException {
    int ungated = 0;
    int gone = 0;
    List<String> failures = new ArrayList<>();
    for (Future<GateRemoval.Fate> fate : fates) {
      switch (result(fate)) {
        case GateRemoval.Ungated _ -> ungated++;
        case GateRemoval.LetGo _ -> gone++;
        case GateRemoval.Failed(String why) -> failures.add(why);
      }
    }
    return new Report(ungated, gone, failures);
  }

  private static GateRemoval.Fate result(Future<GateRemoval.Fate> fate)
      throws InterruptedException {
    try {
      return fate.get();
    } catch (ExecutionException e) {
      return new GateRemoval.Failed(ApiServer.describe(e.getCause()));
    }
  }
}
