package dev.cotenant.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.admission.webhook.WebhookOutcome;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pod through both webhooks, as an API server would take it. */
class PodLifeTest {
  private static final String CREATE =
      "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{'uid':'u1',"
          + "'kind':{'group':'','version':'v1','kind':'Pod'},'namespace':'team-a',"
          + "'operation':'CREATE','userInfo':{'username':'admin'},'oldObject':null,'object':"
          + "{'kind':'Pod','apiVersion':'v1','metadata':{'generateName':'tune-',"
          + "'futureField':{'a':[1,2.50,{'b':null}]},"
          + "'annotations':{'cotenant.dev/model':'resnet50','odd/~key':'x'}},"
          + "'spec':{'schedulerName':'mine','futureList':[],'nodeSelector':{'disk':'ssd'},"
          + "'containers':[{'name':'c','futureFlag':true,"
          + "'resources':{'limits':{'nvidia.com/gpu':'1'}}}]}}}}";

  private final Bench bench = new Bench(TestClusters.empty());

  @Test
  void isGrantedConfirmedAndReleased() {
    JsonNode stored = createdAs("tune-x", patched(review()));

    assertThat(bench.validate(stored).path("allowed").booleanValue()).isTrue();
    assertThat(bench.outcome()).isEqualTo(new WebhookOutcome.Confirmed());
    assertThat(bench.ledger.entries().getFirst().state())
        .isEqualTo(new LedgerEntry.Bound("pod-uid", bench.now));

    bench.mutate(deleteOf(stored));

    assertThat(bench.outcome()).isEqualTo(new WebhookOutcome.Released());
    assertThat(bench.ledger.entries()).isEmpty();
  }

  @Test
  void keepsEveryFieldThatNobodyKnows() {
    ObjectNode before = object(review()).deepCopy();

    ObjectNode after = object(patched(review()));

    assertThat(after.path("metadata").path("futureField"))
        .isEqualTo(before.path("metadata").path("futureField"));
    ((ObjectNode) after.path("metadata").path("annotations"))
        .retain("cotenant.dev/model", "odd/~key");
    ((ObjectNode) after.path("spec").path("nodeSelector")).remove("kubernetes.io/hostname");
    assertThat(after).isEqualTo(before);
  }

  @Test
  void isUnchangedWhenTheWebhookIsCalledAgain() {
    ObjectNode again = patched(review());

    JsonNode response = bench.mutate(again);

    assertThat(response.has("patch")).isFalse();
    assertThat(bench.outcome()).isEqualTo(new WebhookOutcome.Unchanged());
    assertThat(bench.ledger.entries()).hasSize(1);
  }

  // Columns: what another webhook does to the patched pod; what of it was not decided on.
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "/spec/containers/0/resources/limits; nvidia.com/gpu; 2; GPU count is 2, the grant is for"
            + " 1",
        "/metadata/annotations; cotenant.dev/batch-size; 64; batch size is 64, the grant is for"
            + " 1",
        "/metadata/annotations; cotenant.dev/model; vgg19; model is vgg19, the grant is for"
            + " resnet50",
        "/metadata/annotations; cotenant.dev/gpu-memory; 8Gi; declared memory is 8 GiB, the grant"
            + " is for none",
        "/spec/nodeSelector; kubernetes.io/hostname; gpu-1; node is gpu-1, the grant is for"
            + " gpu-2",
        "/spec/nodeSelector; zone; a; other node constraints is [nodeSelector disk, nodeSelector"
            + " zone], the grant is for [nodeSelector disk]"
      })
  void isRefusedWhenItIsNotWhatWasDecidedOn(
      String parent, String field, String value, String difference) {
    ObjectNode stored = createdAs("tune-x", patched(review()));
    ((ObjectNode) object(stored).at(parent)).put(field, value);

    JsonNode response = bench.validate(stored);

    assertThat(response.path("status").path("code").intValue()).isEqualTo(403);
    assertThat(response.path("status").path("message").asText())
        .isEqualTo(
            "cotenant: pod team-a/tune-x was changed after it was granted capacity; create it"
                + " again.\n"
                + "1. GrantConflict: "
                + difference);
    assertThat(response.path("auditAnnotations").toString()).contains("GrantConflict");
    assertThat(bench.ledger.entries()).isEmpty();
  }

  @Test
  void isRefusedWhenItNoLongerAsksForTheGpuThatItWasGranted() {
    ObjectNode stored = createdAs("tune-x", patched(review()));
    ((ObjectNode) object(stored).at("/spec/containers/0/resources/limits")).removeAll();

    assertThat(bench.validate(stored).path("status").path("message").asText())
        .contains("GrantConflict: request is absent or opted out");
  }

  /** One A100 or V100 was granted; two are decided on anew, on any node, and hold alone. */
  @Test
  void isDecidedOnAnewWhenAnotherWebhookChangedItBeforeOursIsAskedAgain() {
    ObjectNode again = patched(review());
    ((ObjectNode) object(again).at("/spec/containers/0/resources/limits"))
        .put("nvidia.com/gpu", "2");

    JsonNode response = bench.mutate(again);

    assertThat(bench.outcome()).isEqualTo(new WebhookOutcome.Granted());
    apply((ArrayNode) Bench.patch(response), object(again));
    assertThat(object(again).at("/spec/nodeSelector/kubernetes.io~1hostname").asText())
        .isEqualTo("gpu-1");
    assertThat(bench.ledger.entries()).hasSize(1);
    assertThat(bench.validate(createdAs("tune-x", again)).path("allowed").booleanValue()).isTrue();
  }

  @Test
  void keepsItsCapacityUntilItsContainersHaveStopped() {
    ObjectNode stored = createdAs("tune-x", patched(review()));
    bench.validate(stored);
    ((ObjectNode) object(stored).path("spec")).put("nodeName", "gpu-2");
    ObjectNode delete = deleteOf(stored);

    ((ObjectNode) delete.path("request")).putObject("options").put("gracePeriodSeconds", 30);
    bench.mutate(delete);
    assertThat(bench.ledger.entries()).hasSize(1);

    ((ObjectNode) delete.path("request")).putObject("options").put("gracePeriodSeconds", 0);
    bench.mutate(delete);
    assertThat(bench.outcome()).isEqualTo(new WebhookOutcome.Released());
    assertThat(bench.ledger.entries()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"Running, 1", "Succeeded, 0", "Failed, 0"})
  void givesItsCapacityBackWhenItsStatusSaysThatItHasFinished(String phase, int grants) {
    ObjectNode stored = createdAs("tune-x", patched(review()));
    bench.validate(stored);
    ObjectNode update = stored.deepCopy();
    ObjectNode request = (ObjectNode) update.path("request");
    request.put("operation", "UPDATE").put("subResource", "status");
    request.set("oldObject", object(stored).deepCopy());
    object(update).putObject("status").put("phase", phase);

    bench.validate(update);

    assertThat(bench.ledger.entries()).hasSize(grants);
  }

  @Test
  void isNotHelpedByAnAdmissionIdOfAnotherPod() {
    ObjectNode thief = patched(review());
    ((ObjectNode) object(thief).path("metadata")).put("generateName", "thief-");
    ((ObjectNode) object(thief).path("spec").path("nodeSelector")).remove("kubernetes.io/hostname");

    bench.mutate(thief);

    assertThat(bench.outcome()).isEqualTo(new WebhookOutcome.Granted());
    assertThat(bench.ledger.entries()).hasSize(2);
  }

  @Test
  void isRefusedWhenItsAnnotationsAreNotWhatWasWritten() {
    ObjectNode forged = patched(review());
    ((ObjectNode) object(forged).path("metadata").path("annotations"))
        .put("cotenant.dev/predicted-memory", "1Mi");

    JsonNode response = bench.validate(createdAs("tune-x", forged));

    assertThat(response.path("status").path("code").intValue()).isEqualTo(403);
  }

  @Test
  void isRefusedWhenItComesAfterItsGrantHasLapsed() {
    ObjectNode late = patched(review());
    bench.now = bench.now.plus(Duration.ofMinutes(3));

    assertThat(bench.validate(createdAs("tune-x", late)).path("allowed").booleanValue()).isFalse();
  }

  @Test
  void leavesNoTraceOfADryRunAndConfirmsIt() {
    ObjectNode dryRun = review();
    ((ObjectNode) dryRun.path("request")).put("dryRun", true);
    ObjectNode patched = patched(dryRun);

    assertThat(bench.validate(createdAs("tune-x", patched)).path("allowed").booleanValue())
        .isTrue();
    assertThat(bench.ledger.entries()).isEmpty();
    assertThat(bench.decisions).hasSize(1);
  }

  @Test
  void keepsItsCapacityWhenItsDeletionIsADryRun() {
    JsonNode stored = createdAs("tune-x", patched(review()));
    bench.validate(stored);
    ObjectNode delete = deleteOf(stored);
    ((ObjectNode) delete.path("request")).put("dryRun", true);

    bench.mutate(delete);

    assertThat(bench.ledger.entries()).hasSize(1);
  }

  /** Upper bound 40 + 1/10 + 20 + 10 = 70.1 % on the V100; an A100 keeps 50.1 % busy. */
  @Test
  void fillsTheClusterUntilNothingFitsAndThenSaysWhy() {
    int granted = 0;
    while (bench.mutate(review()).path("allowed").booleanValue()) {
      granted++;
    }

    // One on each of the four A100 and the V100: a second would make 100.2 % or 140.2 %.
    assertThat(granted).isEqualTo(5);
    assertThat(bench.decisions.getLast().prediction()).isPresent();
    assertThat(bench.outcome()).isEqualTo(new WebhookOutcome.Refused());
  }

  @Test
  void isLetThroughWhenTheWebhookItselfIsBroken() {
    WorkloadPredictor broken =
        (workload, devices, level) -> {
          throw new IllegalStateException("broken");
        };
    Bench brokenBench = new Bench(TestClusters.empty(), broken);

    JsonNode response = brokenBench.mutate(review());

    assertThat(response.path("allowed").booleanValue()).isTrue();
    assertThat(response.path("warnings").get(0).asText())
        .isEqualTo("cotenant: failed open: internal error; the pod runs unmanaged");
    assertThat(brokenBench.outcome()).isInstanceOf(WebhookOutcome.Crashed.class);
  }

  private static ObjectNode review() {
    return (ObjectNode) Bench.json(CREATE);
  }

  private ObjectNode patched(ObjectNode review) {
    JsonNode response = bench.mutate(review);
    assertThat(response.path("allowed").booleanValue()).isTrue();
    apply((ArrayNode) Bench.patch(response), object(review));
    return review;
  }

  /** Applies a patch of additions and removals of members, as RFC 6902 says. */
  private static void apply(ArrayNode patch, ObjectNode target) {
    for (JsonNode operation : patch) {
      assertThat(operation.path("op").asText()).isIn("add", "remove");
      String path = operation.path("path").asText();
      int slash = path.lastIndexOf('/');
      String name = path.substring(slash + 1).replace("~1", "/").replace("~0", "~");
      ObjectNode parent = (ObjectNode) target.at(path.substring(0, slash));
      if (operation.path("op").asText().equals("add")) {
        parent.set(name, operation.path("value"));
      } else {
        assertThat(parent.remove(name)).as(path).isNotNull();
      }
    }
  }

  private static ObjectNode object(JsonNode review) {
    return (ObjectNode) review.path("request").path("object");
  }

  private static ObjectNode createdAs(String name, ObjectNode review) {
    ((ObjectNode) object(review).path("metadata")).put("name", name).put("uid", "pod-uid");
    return review;
  }

  private static ObjectNode deleteOf(JsonNode stored) {
    ObjectNode review = stored.deepCopy();
    ObjectNode request = (ObjectNode) review.path("request");
    request.put("operation", "DELETE").set("oldObject", request.path("object"));
    request.putNull("object");
    return review;
  }
}
