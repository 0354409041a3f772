package dev.cotenant.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.admission.webhook.AdmissionListener;
import dev.cotenant.admission.webhook.AdmissionPorts;
import dev.cotenant.admission.webhook.AdmissionSettings;
import dev.cotenant.admission.webhook.WebhookOutcome;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** The webhooks on a fixed cluster, with admission ids that count and a clock that stands still. */
public final class Bench implements AdmissionListener {
  static final String SERVICE_ACCOUNT = "system:serviceaccount:cotenant-system:cotenant";

  private static final ObjectMapper JSON = new ObjectMapper();

  final List<WebhookOutcome> answers = new ArrayList<>();
  final List<DecisionRecord> decisions = new ArrayList<>();
  final Ledger ledger;
  final AdmissionWebhooks webhooks;
  final List<FillReport> fills = new ArrayList<>();
  final List<PodIdentity> kills = new ArrayList<>();
  Instant now = TestClusters.NOW;

  public Bench(ClusterSnapshot cluster) {
    this(cluster, new FakePredictor());
  }

  public Bench(ClusterSnapshot cluster, WorkloadPredictor predictor) {
    this(cluster, predictor, Policy.DEFAULT.with(copy -> copy.mode = Mode.IMMEDIATE));
  }

  public Bench(ClusterSnapshot cluster, Policy policy) {
    this(cluster, new FakePredictor(), policy);
  }

  Bench(ClusterSnapshot cluster, WorkloadPredictor predictor, Policy policy) {
    ledger = new Ledger(() -> now, Duration.ofMinutes(2));
    AtomicInteger ids = new AtomicInteger();
    AdmissionPorts ports =
        new AdmissionPorts(
            new DecisionPorts(
                () -> cluster,
                predictor,
                new SharingDecider(FallbackInterferenceModel.builtIn()),
                () -> now),
            this,
            () -> "id-" + ids.incrementAndGet());
    webhooks =
        new AdmissionWebhooks(
            ports, new AdmissionSettings(Policies.of(policy), SERVICE_ACCOUNT), ledger);
  }

  JsonNode mutate(JsonNode review) {
    return response(webhooks.mutate(review.toString().getBytes(StandardCharsets.UTF_8)));
  }

  /** Whether a review is for another thread; it is answered all the same. */
  boolean needsWorker(JsonNode review) {
    List<Runnable> works = new ArrayList<>();
    CompletableFuture<byte[]> answer =
        webhooks.mutate(review.toString().getBytes(StandardCharsets.UTF_8), works::add);
    boolean needs = !answer.isDone();
    works.forEach(Runnable::run);
    response(answer.join());
    return needs;
  }

  JsonNode validate(JsonNode review) {
    return response(webhooks.validate(review.toString().getBytes(StandardCharsets.UTF_8)));
  }

  WebhookOutcome.Outcome outcome() {
    return answers.getLast().outcome();
  }

  /** The {@code response} of an answer, which must be an AdmissionReview. */
  static JsonNode response(byte[] answer) {
    JsonNode review = json(answer);
    if (!review.path("kind").asText().equals("AdmissionReview")
        || !review.path("apiVersion").asText().equals("admission.k8s.io/v1")
        || !review.path("response").path("uid").isTextual()
        || !review.path("response").path("allowed").isBoolean()) {
      throw new AssertionError("not a valid answer: " + review);
    }
    return review.path("response");
  }

  /** The operations of the patch; an empty list where there is none. */
  static JsonNode patch(JsonNode response) {
    try {
      return response.has("patch")
          ? json(response.path("patch").binaryValue())
          : JSON.createArrayNode();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static JsonNode json(byte[] bytes) {
    try {
      return JSON.readTree(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static JsonNode json(String text) {
    return json(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void answered(WebhookOutcome answer) {
    answers.add(answer);
  }

  @Override
  public void decided(DecisionRecord decision) {
    decisions.add(decision);
  }

  @Override
  public void filled(FillReport report) {
    fills.add(report);
  }

  @Override
  public void killed(PodIdentity pod) {
    kills.add(pod);
  }
}
