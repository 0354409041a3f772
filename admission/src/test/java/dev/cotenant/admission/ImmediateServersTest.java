package dev.cotenant.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.webhook.WebhookOutcome;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Servers of language models in mode Immediate, on a cluster with one GPU. */
class ImmediateServersTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private final Bench bench =
      new Bench(
          new ClusterSnapshot(
              TestClusters.NOW,
              List.of(
                  TestClusters.a100(
                      "GPU-a0", "gpu-1", new Tenancy.Shared(List.of()), TestClusters.used(0)))));

  private static JsonNode server(String name) {
    JsonNode pod =
        PodReviews.pod(
            "",
            "'containers':[{'name':'c','image':'vllm/vllm-openai:v0.19.0',"
                + "'args':['--model','resnet50'],'resources':{'limits':{'nvidia.com/gpu':'1'}}}]");
    ((ObjectNode) pod.path("metadata")).put("name", name);
    return pod;
  }

  private void confirm(JsonNode pod) {
    JsonNode granted = PatchedPod.of(pod, Bench.patch(created(pod)));
    ((ObjectNode) granted.path("metadata")).put("uid", "uid-" + pod.at("/metadata/name").asText());
    assertThat(bench.validate(PodReviews.creating(granted)).path("allowed").asBoolean()).isTrue();
    assertThat(bench.outcome()).isEqualTo(new WebhookOutcome.Confirmed());
  }

  private JsonNode created(JsonNode pod) {
    return bench.mutate(PodReviews.creating(pod));
  }

  @Test
  void aServerIsGrantedAShareByItsArgumentsAlone() {
    JsonNode response = created(server("first"));

    assertThat(response.path("allowed").asBoolean()).isTrue();
    assertThat(Bench.patch(response).toString())
        .contains("GPU-a0", "cotenant.dev~1predicted-memory");
    assertThat(bench.outcome()).isEqualTo(new WebhookOutcome.Granted());
  }

  @Test
  void theNextServerIsRefusedWhileTheLastStarts() {
    confirm(server("first"));
    bench.now = bench.now.plus(LIMIT).minusSeconds(1);

    JsonNode refused = created(server("second"));

    assertThat(refused.path("allowed").asBoolean()).isFalse();
    assertThat(refused.at("/status/message").asText())
        .contains(
            "EngineStarting: GPU-a0 on gpu-1: server team-a/first started 599 s ago, and its memory"
                + " has not settled; waits for at most 600 s");
    bench.now = bench.now.plusSeconds(1);
    assertThat(created(server("second")).path("allowed").asBoolean()).isTrue();
  }

  @Test
  void otherPodsAreNotRefused() {
    created(server("first"));

    JsonNode job = created(PodReviews.pod("'cotenant.dev/model':'densenet121'", PodReviews.main()));

    assertThat(job.path("allowed").asBoolean()).isTrue();
  }

  @Test
  void aServerThatHasEndedIsNotWaitedFor() {
    created(server("first"));
    assertThat(created(server("second")).path("allowed").asBoolean()).isFalse();
    bench.ledger.release("id-1");

    assertThat(created(server("second")).path("allowed").asBoolean()).isTrue();
  }
}
