package dev.cotenant.service;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.AdmissionWebhooks;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.webhook.AdmissionListener;
import dev.cotenant.admission.webhook.AdmissionPorts;
import dev.cotenant.admission.webhook.AdmissionSettings;
import dev.cotenant.admission.webhook.WebhookOutcome;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModel;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import dev.cotenant.service.configuration.ServiceSettings;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Answers reviews of this process before the service is ready: an API server waits two seconds, and
 * the first review loads every class. The reviews are dry runs on a temporary ledger, without
 * metrics and history.
 */
@Singleton
final class WarmUp {
  private static final int REVIEWS = 20;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final List<AdmissionWebhooks> webhooks;
  private final ModelRegistry registry;

  WarmUp(AdmissionPorts ports, ServiceSettings settings, ModelRegistry registry, Engine engine) {
    this.registry = registry;
    AdmissionPorts silent =
        new AdmissionPorts(
            new DecisionPorts(
                ports.decisions().cluster(),
                new RegisteredModelPredictor(registry, engine),
                ports.decisions().decider(),
                ports.decisions().clock()),
            new Silence(),
            ports.ids());
    webhooks =
        settings.policies().byName().values().stream()
            .map(policy ->
                new AdmissionWebhooks(
                    silent,
                    new AdmissionSettings(Policies.of(policy), settings.webhook().serviceAccount()),
                    new Ledger(InstantSource.system(), settings.allocatedTtl())))
            .toList();
  }

  /** Reviews under every policy: their code paths differ. */
  void run() {
    byte[] review = body();
    for (AdmissionWebhooks each : webhooks) {
      for (int i = 0; i < REVIEWS; i++) {
        each.mutate(review);
        each.validate(review);
      }
    }
  }

  /** Answers a review by one of the policies. */
  CompletableFuture<byte[]> answer(byte[] review, Executor workers) {
    return webhooks.getFirst().mutate(review, workers);
  }

  /** A review. */
  byte[] body() {
    return review().toString().getBytes(StandardCharsets.UTF_8);
  }

  private ObjectNode review() {
    ObjectNode review =
        JSON.objectNode().put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    ObjectNode request = review.putObject("request").put("uid", "warm-up");
    request.putObject("kind").put("version", "v1").put("kind", "Pod");
    request.put("operation", "CREATE").put("namespace", "cotenant").put("dryRun", true);
    ObjectNode pod = request.putObject("object");
    ObjectNode metadata = pod.putObject("metadata").put("name", "warm-up");
    ObjectNode annotations = metadata.putObject("annotations");
    registry.models().stream()
        .findFirst()
        .map(RegisteredModel::name)
        .ifPresent(name -> annotations.put("cotenant.dev/model", name));
    ObjectNode container = pod.putObject("spec").putArray("containers").addObject();
    container.put("name", "main");
    container.putObject("resources").putObject("limits").put("nvidia.com/gpu", "1");
    return review;
  }

  private static final class Silence implements AdmissionListener {
    @Override
    public void answered(WebhookOutcome answer) {}

    @Override
    public void decided(DecisionRecord decision) {}

    @Override
    public void filled(FillReport report) {}

    @Override
    public void killed(PodIdentity pod) {}
  }
}
