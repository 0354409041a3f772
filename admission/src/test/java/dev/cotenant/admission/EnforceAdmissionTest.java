package dev.cotenant.admission;

import static dev.cotenant.admission.PodReviews.creating;
import static dev.cotenant.admission.PodReviews.main;
import static dev.cotenant.admission.PodReviews.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.GpuAssignment;
import dev.cotenant.admission.policy.Policy.UnknownModels;
import dev.cotenant.admission.webhook.UnmanagedCause;
import dev.cotenant.admission.webhook.WebhookOutcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnforceAdmissionTest {
  private static final String MODEL = "'cotenant.dev/model':'resnet50'";
  private static final String GATE = "{\"name\":\"cotenant.dev/colocation\"}";
  private static final Policy VISIBLE =
      Policy.DEFAULT.with(copy -> copy.gpuAssignment = GpuAssignment.VISIBLE_DEVICES);

  private final Bench bench = new Bench(TestClusters.full(), Policy.DEFAULT);

  private JsonNode held(Bench at, JsonNode pod) {
    JsonNode response = at.mutate(creating(pod));
    assertThat(response.path("allowed").booleanValue()).isTrue();
    return PatchedPod.of(pod, Bench.patch(response));
  }

  private static List<String> warnings(JsonNode response) {
    List<String> warnings = new ArrayList<>();
    response.path("warnings").forEach(warning -> warnings.add(warning.asText()));
    return warnings;
  }

  private static List<String> variables(JsonNode container) {
    List<String> names = new ArrayList<>();
    container.path("env").forEach(variable -> names.add(variable.path("name").asText()));
    return names;
  }

  @Test
  void holdsAPodAndSaysWhatItAsksFor() {
    JsonNode held = held(bench, pod(MODEL, main()));

    assertThat(held.at("/spec/schedulingGates")).hasToString("[" + GATE + "]");
    assertThat(held.at("/metadata/annotations/cotenant.dev~1request").asText())
        .isEqualTo("dialect=nvidia gpus=1 container=main");
    assertThat(held.at("/metadata/annotations/cotenant.dev~1admission-id").asText())
        .startsWith("id-1-");
    assertThat(bench.outcome()).isInstanceOf(WebhookOutcome.Gated.class);
    assertThat(bench.decisions).isEmpty();
    assertThat(bench.ledger.entries()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"'', 1", "'''schedulingGates'':[],', 1", "'''schedulingGates'':null,', 1"})
  void makesTheGatesWhereThereAreNone(String gates, int count) {
    assertThat(held(bench, pod(MODEL, gates + main())).at("/spec/schedulingGates")).hasSize(count);
  }

  @Test
  void putsItsGateBehindThoseOfOthersAndNeverTwice() {
    String gates = "'schedulingGates':[{'name':'a'},{'name':'b'}],";
    JsonNode held = held(bench, pod(MODEL, gates + main()));

    assertThat(held.at("/spec/schedulingGates"))
        .hasToString("[{\"name\":\"a\"},{\"name\":\"b\"}," + GATE + "]");
    assertThat(held(bench, held)).isEqualTo(held);
    assertThat(bench.outcome()).isInstanceOf(WebhookOutcome.Unchanged.class);
  }

  @Test
  void addsItsGateAgainWhereAnotherWebhookRemovedIt() {
    JsonNode held = held(bench, pod(MODEL, main()));
    JsonNode ungated = held.deepCopy();
    ((ObjectNode) ungated.path("spec")).remove("schedulingGates");

    assertThat(held(bench, ungated)).isEqualTo(held);
  }

  @Test
  void givesACopyOfAnotherPodAnAdmissionIdOfItsOwn() {
    JsonNode held = held(bench, pod(MODEL, main()));
    ObjectNode copy = held.deepCopy();
    ((ObjectNode) copy.path("metadata")).put("name", "q");

    JsonNode admissionId = held(bench, copy).at("/metadata/annotations/cotenant.dev~1admission-id");
    assertThat(admissionId)
        .isNotEqualTo(held.at("/metadata/annotations/cotenant.dev~1admission-id"));
    assertThat(admissionId.asText()).startsWith("id-2-");
  }

  @Test
  void removesWhatNobodyElseMayWrite() {
    String forged =
        "'cotenant.dev/admission-id':'x','cotenant.dev/request':'y','cotenant.dev/assigned-gpu':'GPU-a0',"
            + "'cotenant.dev/assigned-node':'n','cotenant.dev/predicted-memory':'1Mi',"
            + "'cotenant.dev/predicted-utilization':'0','cotenant.dev/decision':'Admitted',"
            + "'cotenant.dev/reason':'r','cotenant.dev/mps-active-thread-percentage':'1',";
    JsonNode annotations =
        held(bench, pod(forged + "'other':'kept'," + MODEL, main())).at("/metadata/annotations");

    assertThat(annotations.properties())
        .extracting(entry -> entry.getKey())
        .containsExactlyInAnyOrder(
            "cotenant.dev/admission-id", "cotenant.dev/request", "other", "cotenant.dev/model");
    assertThat(annotations.path("cotenant.dev/admission-id").asText()).startsWith("id-1-");
  }

  @Test
  void leavesAPodAloneThatNamesItsNode() {
    JsonNode response = bench.mutate(creating(pod(MODEL, "'nodeName':'gpu-1'," + main())));

    assertThat(Bench.patch(response)).isEmpty();
    assertThat(warnings(response)).singleElement().asString().contains("names its node itself");
    assertThat(bench.outcome()).isEqualTo(new WebhookOutcome.Unmanaged(UnmanagedCause.NODE_NAMED));
  }

  @Test
  void answersADryRunAlike() {
    JsonNode pod = pod(MODEL, main());
    JsonNode dry = bench.mutate(PodReviews.dryRun(creating(pod)));

    assertThat(Bench.patch(dry))
        .isEqualTo(
            Bench.patch(new Bench(TestClusters.full(), Policy.DEFAULT).mutate(creating(pod))));
  }

  @ParameterizedTest
  @CsvSource({
    "'', cotenant-scheduler",
    "'''schedulerName'':null,', cotenant-scheduler",
    "'''schedulerName'':'''',', cotenant-scheduler",
    "'''schedulerName'':''default-scheduler'',', cotenant-scheduler",
    "'''schedulerName'':''cotenant-scheduler'',', cotenant-scheduler",
    "'''schedulerName'':''mine'',', mine",
  })
  void namesTheSchedulerOfThePolicyUnlessThePodNamesAnother(String scheduler, String named) {
    Bench at =
        new Bench(
            TestClusters.full(),
            Policy.DEFAULT.with(copy -> copy.schedulerName = "cotenant-scheduler"));
    JsonNode held = held(at, pod(MODEL, scheduler + main()));

    assertThat(held.at("/spec/schedulerName").asText()).isEqualTo(named);
    assertThat(held(at, held)).isEqualTo(held);
    assertThat(at.outcome()).isInstanceOf(WebhookOutcome.Unchanged.class);
  }

  @Test
  void namesNoSchedulerForPodsWithoutAGate() {
    Policy policy = Policy.DEFAULT.with(copy -> copy.schedulerName = "cotenant-scheduler");
    Bench at = new Bench(TestClusters.full(), policy);

    assertThat(
            held(at, pod(MODEL, "'nodeName':'gpu-1'," + main())).at("/spec").has("schedulerName"))
        .isFalse();
    for (Policy.Mode mode : List.of(Policy.Mode.OFF, Policy.Mode.SHADOW, Policy.Mode.WARN)) {
      Bench other = new Bench(TestClusters.full(), policy.with(copy -> copy.mode = mode));
      assertThat(held(other, pod(MODEL, main())).at("/spec").has("schedulerName")).isFalse();
    }
  }

  // Columns: containers and init containers; which of them is told by name.
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "'containers':[{'name':'proxy'},{'name':'main','resources':{'limits':{'nvidia.com/gpu':'1'}}}];"
            + " main",
        "'containers':[{'name':'main','resources':{'limits':{'nvidia.com/gpu':'1'}}}],'initContainers':[{'name':'fetch'}];"
            + " main",
        "'containers':[{'name':'main'}],'initContainers':[{'name':'check','resources':{'limits':{'nvidia.com/gpu':'1'}}}];"
            + " check",
        "'containers':[{'name':'a','resources':{'limits':{'nvidia.com/gpu':'1'}}},{'name':'b','resources':{'limits':{'nvidia.com/gpu':'1'}}}];"
            + " a,b",
        "'containers':[{'name':'main','resources':{'limits':{'nvidia.com/gpu':'1'}}}],'initContainers':[{'name':'side','restartPolicy':'Always','resources':{'limits':{'nvidia.com/gpu':'1'}}}];"
            + " main",
        "'containers':[{'name':'main','restartPolicy':'Always','resources':{'limits':{'nvidia.com/gpu':'1'}}}];"
            + " main",
        "'containers':[{'name':'main'}],'initContainers':[{'name':'side','restartPolicy':'Always','resources':{'limits':{'nvidia.com/gpu':'1'}}}];"
            + " ``",
      })
  void tellsTheContainersThatAskWhichGpuTheyGet(String spec, String told) {
    JsonNode held = held(new Bench(TestClusters.full(), VISIBLE), pod(MODEL, spec));

    assertThat(told(held)).isEqualTo(told);
    assertThat(held.at("/metadata/annotations/cotenant.dev~1mps-active-thread-percentage").asText())
        .isEqualTo("100");
  }

  @ParameterizedTest
  @CsvSource({"'', a", "'''gpu-fraction-container-name'':''b'',', b"})
  void tellsTheContainerThatKaiMeans(String named, String told) {
    String annotations = named + "'gpu-fraction':'0.5'," + MODEL;
    JsonNode held =
        held(
            new Bench(TestClusters.full(), VISIBLE),
            pod(annotations, "'containers':[{'name':'a'},{'name':'b'}]"));

    assertThat(told(held)).isEqualTo(told);
  }

  private static String told(JsonNode pod) {
    List<String> told = new ArrayList<>();
    for (String field : List.of("containers", "initContainers")) {
      pod.at("/spec/" + field)
          .forEach(container -> {
            if (variables(container).contains("NVIDIA_VISIBLE_DEVICES")) {
              told.add(container.path("name").asText());
            }
          });
    }
    return String.join(",", told);
  }

  @Test
  void refersToAnnotationsThatAreWrittenLater() {
    JsonNode held = held(new Bench(TestClusters.full(), VISIBLE), pod(MODEL, main()));

    assertThat(held.at("/spec/containers/0/env"))
        .hasToString(
            Bench.json(
                    "[{'name':'CUDA_MPS_ACTIVE_THREAD_PERCENTAGE','valueFrom':{'fieldRef':{'fieldPath':"
                        + "\"metadata.annotations[§cotenant.dev/mps-active-thread-percentage§]\"}}},"
                        + "{'name':'NVIDIA_VISIBLE_DEVICES','valueFrom':{'fieldRef':{'fieldPath':"
                        + "\"metadata.annotations[§cotenant.dev/assigned-gpu§]\"}}}]")
                .toString()
                .replace('§', '\''));
  }

  @Test
  void leavesAVariableThatTheUserSetAndSaysSo() {
    Bench visible = new Bench(TestClusters.full(), VISIBLE);
    JsonNode pod =
        pod(
            MODEL,
            "'containers':[{'name':'main','env':[{'name':'NVIDIA_VISIBLE_DEVICES','value':'all'}],"
                + "'resources':{'limits':{'nvidia.com/gpu':'1'}}}]");
    JsonNode response = visible.mutate(creating(pod));
    JsonNode held = PatchedPod.of(pod, Bench.patch(response));

    assertThat(held.at("/spec/containers/0/env/0/value").asText()).isEqualTo("all");
    assertThat(variables(held.at("/spec/containers/0")))
        .containsExactly("NVIDIA_VISIBLE_DEVICES", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
    assertThat(warnings(response))
        .containsExactly("cotenant: main sets NVIDIA_VISIBLE_DEVICES itself; it is unchanged");
  }

  @Test
  void warnsWhereNoContainerGetsTheUuid() {
    JsonNode response =
        new Bench(TestClusters.full(), VISIBLE)
            .mutate(
                creating(
                    pod(
                        MODEL,
                        "'containers':[{'name':'main'}],'initContainers':[{'name':'side',"
                            + "'restartPolicy':'Always',"
                            + "'resources':{'limits':{'nvidia.com/gpu':'1'}}}]")));

    assertThat(warnings(response))
        .singleElement()
        .asString()
        .contains("no container gets its uuid");
  }

  @ParameterizedTest
  @CsvSource({
    "EXCLUSIVE, Gated",
    "UNMANAGED, Unmanaged",
    "DENY, Refused",
  })
  void doesWithUnknownModelsWhatThePolicySays(UnknownModels policy, String outcome) {
    for (String annotations : List.of("", "'cotenant.dev/model':'nobody'")) {
      Bench at =
          new Bench(TestClusters.full(), Policy.DEFAULT.with(copy -> copy.unknownModels = policy));
      at.mutate(creating(pod(annotations, main())));

      assertThat(at.outcome().getClass().getSimpleName()).isEqualTo(outcome);
    }
    Bench known =
        new Bench(TestClusters.full(), Policy.DEFAULT.with(copy -> copy.unknownModels = policy));
    known.mutate(creating(pod(MODEL, main())));
    assertThat(known.outcome()).isInstanceOf(WebhookOutcome.Gated.class);
  }

  private static final Policy DRA =
      Policy.DEFAULT.with(copy -> copy.gpuAssignment = GpuAssignment.DRA);
  private static final String CLAIM = MODEL + ",'cotenant.dev/resource-claim':'shared'";

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "'containers':[{'name':'main'}]; cotenant-gpu",
        "'containers':[{'name':'main','resources':{'limits':{'cpu':'1'}}}]; cotenant-gpu",
        "'resourceClaims':[],'containers':[{'name':'main','resources':{'claims':[]}}];"
            + " cotenant-gpu",
        "'resourceClaims':[{'name':'net','resourceClaimName':'nic'}],'containers':[{'name':'main','resources':{'claims':[{'name':'net'}]}}];"
            + " cotenant-gpu",
        "'resourceClaims':[{'name':'mine','resourceClaimName':'shared'}],"
            + "'containers':[{'name':'main'}]; mine",
        "'resourceClaims':[{'name':'mine','resourceClaimName':'shared'}],"
            + "'containers':[{'name':'main','resources':{'claims':[{'name':'mine'}]}}]; mine"
      })
  void hasThePodAndItsContainerUseTheClaimThatItNames(String spec, String name) {
    Bench at = new Bench(TestClusters.full(), DRA);
    JsonNode held = held(at, pod(CLAIM, spec));

    assertThat(held.at("/spec/resourceClaims"))
        .filteredOn(claim -> claim.path("resourceClaimName").asText().equals("shared"))
        .singleElement()
        .hasToString("{\"name\":\"" + name + "\",\"resourceClaimName\":\"shared\"}");
    assertThat(held.at("/spec/containers/0/resources/claims"))
        .filteredOn(claim -> claim.path("name").asText().equals(name))
        .hasSize(1);
    assertThat(held.at("/spec/schedulingGates")).hasSize(1);
    assertThat(held(at, held)).isEqualTo(held);
    assertThat(at.validate(creating(held)).path("allowed").booleanValue()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "'containers':[{'name':'main','resources':{'limits':{'nvidia.com/gpu':'1'}}}];"
            + "'cotenant.dev/resource-claim':'shared'; main requests a GPU of the device plugin",
        "'containers':[{'name':'main'}]; 'gpu-fraction':'0.5'; names no ResourceClaim",
        "'resourceClaims':[{'name':'cotenant-gpu','resourceClaimName':'other'}],"
            + "'containers':[{'name':'main'}]; 'cotenant.dev/resource-claim':'shared'; rename it"
      })
  void leavesAloneWhatNoClaimCanSendToItsGpu(String spec, String annotations, String why) {
    Bench at = new Bench(TestClusters.full(), DRA);
    JsonNode pod = pod(MODEL + "," + annotations, spec);
    JsonNode response = at.mutate(creating(pod));

    assertThat(response.has("patch")).isFalse();
    assertThat(warnings(response)).singleElement().asString().contains(why, "unmanaged");
    assertThat(at.outcome()).isEqualTo(new WebhookOutcome.Unmanaged(UnmanagedCause.NO_CLAIM));
    at.validate(creating(pod));
    assertThat(at.outcome()).isInstanceOf(WebhookOutcome.Unchanged.class);
  }

  @Test
  void saysThatNobodyMakesAClaimWhereGpuAssignmentIsAnother() {
    JsonNode response = bench.mutate(creating(pod(CLAIM, "'containers':[{'name':'main'}]")));

    assertThat(warnings(response)).singleElement().asString().contains("GPU assignment is not dra");
    assertThat(Bench.patch(response).toString()).doesNotContain("resourceClaims");
  }
}
