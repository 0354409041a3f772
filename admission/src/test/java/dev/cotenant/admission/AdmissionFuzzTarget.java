package dev.cotenant.admission;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.capacity.LocalCapacityLedger;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.extender.Extender;
import dev.cotenant.admission.extender.LedgerPlacement;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.reservation.PersistedReservations;
import dev.cotenant.admission.state.FakeDocuments;
import dev.cotenant.admission.state.LeaderStateDocument;
import dev.cotenant.admission.state.LeaderStateStore;
import dev.cotenant.admission.webhook.AdmissionListener;
import dev.cotenant.admission.webhook.AdmissionPorts;
import dev.cotenant.admission.webhook.AdmissionSettings;
import dev.cotenant.admission.webhook.WebhookOutcome;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.testing.FuzzOracle;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What API servers, schedulers and earlier leaders send: reviews of pods with their annotations and
 * quantities, requests of the extender, reservations and the leader state. The first byte chooses
 * which. Bad input is an InputException or fails open; anything else is a finding.
 */
public final class AdmissionFuzzTarget {
  private static final ClusterSnapshot CLUSTER = TestClusters.empty();
  private static final List<Policy.Mode> MODES = List.of(Policy.Mode.values());

  private AdmissionFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] body = Arrays.copyOfRange(input, 1, input.length);
    int kind = Byte.toUnsignedInt(input[0]) % (2 * MODES.size() + 3);
    if (kind < 2 * MODES.size()) {
      review(MODES.get(kind / 2), kind % 2 == 0, body);
    } else if (kind == 2 * MODES.size()) {
      extender(body);
    } else if (kind == 2 * MODES.size() + 1) {
      reservations(body);
    } else {
      leaderState(body);
    }
  }

  /** A review whose answer is none, or that ran into a defect, is a finding. */
  private static void review(Policy.Mode mode, boolean mutates, byte[] body) {
    Ledger ledger = new Ledger(() -> TestClusters.NOW, Duration.ofMinutes(2));
    AdmissionWebhooks webhooks =
        new AdmissionWebhooks(
            new AdmissionPorts(ports(), new Strict(), () -> "id"),
            new AdmissionSettings(
                Policies.of(Policy.DEFAULT.with(copy -> copy.mode = mode)), Bench.SERVICE_ACCOUNT),
            ledger);
    JsonNode answer = Bench.response(mutates ? webhooks.mutate(body) : webhooks.validate(body));
    JsonNode patch = Bench.patch(answer);
    if (!patch.isEmpty() && !answer.path("allowed").booleanValue()) {
      throw new AssertionError("a refusal with a patch: " + answer);
    }
    if (ledger.entries().size() > 1) {
      throw new AssertionError("one review took " + ledger.entries());
    }
  }

  private static final class Strict implements AdmissionListener {
    @Override
    public void answered(WebhookOutcome answer) {
      if (answer.outcome() instanceof WebhookOutcome.Crashed(RuntimeException defect)) {
        throw new AssertionError(defect);
      }
    }

    @Override
    public void decided(DecisionRecord decision) {}

    @Override
    public void filled(FillReport report) {}

    @Override
    public void killed(PodIdentity pod) {}
  }

  private static DecisionPorts ports() {
    return new DecisionPorts(
        () -> CLUSTER,
        new FakePredictor(),
        new SharingDecider(FallbackInterferenceModel.builtIn()),
        () -> TestClusters.NOW);
  }

  private static void extender(byte[] body) {
    Ledger ledger = new Ledger(() -> TestClusters.NOW, Duration.ofMinutes(2));
    PodDecisions decisions = new PodDecisions(ports(), Policies.of(Policy.DEFAULT), ledger);
    Extender extender =
        new Extender(
            new LedgerPlacement(decisions, new LocalCapacityLedger(() -> CLUSTER, ledger)));
    FuzzOracle.check(() -> extender.filter(body));
    FuzzOracle.check(() -> extender.prioritize(body));
    FuzzOracle.check(() -> extender.bind(body));
    FuzzOracle.check(() -> extender.preempt(body));
  }

  private static void reservations(byte[] body) {
    FakeDocuments documents = documents("reservations-0", body);
    FuzzOracle.check(() ->
        new PersistedReservations(
                new LeaderStateStore(
                    documents.seenWith(() -> FakeDocuments.Fate.DONE), "reservations", 1),
                _ -> false,
                () -> TestClusters.NOW,
                _ -> {})
            .claim(1));
  }

  private static void leaderState(byte[] body) {
    FakeDocuments documents = documents("notes-0", body);
    FuzzOracle.check(() ->
        new LeaderStateDocument(
                new LeaderStateStore(documents.seenWith(() -> FakeDocuments.Fate.DONE), "notes", 1),
                _ -> {})
            .claim(1));
  }

  /** A document with the lines of a body as its entries, {@code key=value}. */
  private static FakeDocuments documents(String name, byte[] body) {
    Map<String, String> entries = new LinkedHashMap<>();
    for (String line : new String(body, StandardCharsets.UTF_8).split("\n", -1)) {
      int end = line.indexOf('=');
      entries.put(end < 0 ? "key" : line.substring(0, end), line.substring(end + 1));
    }
    FakeDocuments documents = new FakeDocuments();
    documents.overwrite(name, 0, entries);
    return documents;
  }
}
