package dev.cotenant.admission;

import static dev.cotenant.admission.PodReviews.creating;
import static dev.cotenant.admission.PodReviews.main;
import static dev.cotenant.admission.PodReviews.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.UnknownModels;
import dev.cotenant.admission.webhook.UnmanagedCause;
import dev.cotenant.admission.webhook.WebhookOutcome;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnforceConfirmationTest {
  private static final String MODEL = "'cotenant.dev/model':'resnet50'";

  private final Bench bench = new Bench(TestClusters.full(), Policy.DEFAULT);

  private JsonNode held(JsonNode pod) {
    return PatchedPod.of(pod, Bench.patch(bench.mutate(creating(pod))));
  }

  @Test
  void letsAHeldPodThroughThoughItFitsNowhereNow() {
    JsonNode response = bench.validate(creating(held(pod(MODEL, main()))));

    assertThat(response.path("allowed").booleanValue()).isTrue();
    assertThat(response.path("warnings")).isEmpty();
    assertThat(bench.outcome()).isInstanceOf(WebhookOutcome.Unchanged.class);
    assertThat(bench.decisions).isEmpty();
  }

  /** A name is made between the two webhooks. */
  @Test
  void knowsAPodAgainWhoseNameWasMadeMeanwhile() {
    ObjectNode pod = pod(MODEL, main()).deepCopy();
    ((ObjectNode) pod.path("metadata")).put("generateName", "tune-").remove("name");
    ObjectNode held = held(pod).deepCopy();
    ((ObjectNode) held.path("metadata")).put("name", "tune-x7k2p").put("uid", "u-1");

    assertThat(bench.validate(creating(held)).path("allowed").booleanValue()).isTrue();
  }

  @Test
  void refusesAHeldPodWithAnotherPodsAdmissionId() {
    ObjectNode copy = held(pod(MODEL, main())).deepCopy();
    ((ObjectNode) copy.path("metadata")).put("name", "q");

    JsonNode response = bench.validate(creating(copy));
    assertThat(response.path("allowed").booleanValue()).isFalse();
    assertThat(response.path("status").path("message").asText())
        .contains("cotenant.dev/admission-id");
  }

  @Test
  void tellsOfAPodThatIsNotHeld() {
    JsonNode response = bench.validate(creating(pod(MODEL, main())));

    assertThat(response.path("allowed").booleanValue()).isTrue();
    assertThat(response.path("warnings").get(0).asText()).contains("was not gated");
    assertThat(bench.outcome())
        .isEqualTo(new WebhookOutcome.Unmanaged(UnmanagedCause.WEBHOOK_NOT_REACHED));
  }

  /** 102 GiB are predicted, and 1 TiB is declared; the largest GPU has 39 GiB. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'cotenant.dev/model':'huge'",
        "'cotenant.dev/model':'resnet50','cotenant.dev/gpu-memory':'1Ti'",
        "'cotenant.dev/gpu-memory':'1Ti'",
      })
  void refusesWhatIsLargerThanAnyGpu(String annotations) {
    JsonNode response = bench.validate(creating(held(pod(annotations, main()))));

    assertThat(response.path("allowed").booleanValue()).isFalse();
    assertThat(response.path("status").path("message").asText()).contains("can never fit");
  }

  /** Nodes may be added yet. */
  @Test
  void refusesNothingForWantOfNodes() {
    ClusterSnapshot none = new ClusterSnapshot(TestClusters.NOW, List.of());
    Bench empty = new Bench(none, Policy.DEFAULT);
    JsonNode pod = pod("'cotenant.dev/model':'huge'", main());
    JsonNode held = PatchedPod.of(pod, Bench.patch(empty.mutate(creating(pod))));

    assertThat(empty.validate(creating(held)).path("allowed").booleanValue()).isTrue();
    JsonNode elsewhere =
        pod(
            "'cotenant.dev/model':'huge'",
            "'nodeSelector':{'kubernetes.io/hostname':'new'}," + main());
    assertThat(bench.validate(creating(held(elsewhere))).path("allowed").booleanValue()).isTrue();
  }

  @Test
  void leavesAloneWhatTheMutatingWebhookLeavesAlone() {
    JsonNode named = creating(pod(MODEL, "'nodeName':'gpu-1'," + main()));
    assertThat(bench.validate(named).path("warnings")).isEmpty();

    Bench unmanaged =
        new Bench(
            TestClusters.full(),
            Policy.DEFAULT.with(copy -> copy.unknownModels = UnknownModels.UNMANAGED));
    assertThat(unmanaged.validate(creating(pod("", main()))).path("warnings")).isEmpty();
    assertThat(unmanaged.outcome()).isInstanceOf(WebhookOutcome.Unchanged.class);
  }
}
