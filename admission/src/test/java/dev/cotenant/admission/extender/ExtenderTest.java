package dev.cotenant.admission.extender;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.CapacityBench;
import dev.cotenant.admission.TestClusters;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExtenderTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** As kube-scheduler sends it, with single quotes. */
  private static final String RESNET50 =
      """
      {'metadata': {'name': 'train', 'namespace': 'team-a', 'uid': 'uid-1',
          'annotations': {'cotenant.dev/model': 'resnet50', 'cotenant.dev/batch-size': '8'}},
        'spec': {'containers': [
          {'name': 'main', 'resources': {'limits': {'nvidia.com/gpu': '1'}}}]}}\
      """;

  private static final String BIG = RESNET50.replace("resnet50", "huge");

  private static Extender on(CapacityBench bench) {
    return new Extender(new LedgerPlacement(bench.decisions(), bench.capacity()));
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text.replace('\'', '"'));
    } catch (IOException e) {
      throw new AssertionError(text, e);
    }
  }

  private static byte[] bytes(String text) {
    return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
  }

  private static JsonNode parsed(byte[] answer) {
    try {
      return JSON.readTree(answer);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String answer(byte[] answer) {
    return new String(answer, StandardCharsets.UTF_8).replace('"', '\'');
  }

  private static String named(String pod, String... nodes) {
    return "{'Pod':" + pod + ",'Nodes':null,'NodeNames':['" + String.join("','", nodes) + "']}";
  }

  private static String full(String pod, String... nodes) {
    String items =
        List.of(nodes).stream()
            .map(node -> "{'metadata':{'name':'" + node + "','x':'kept'},'spec':{'unknown':1}}")
            .reduce((a, b) -> a + "," + b)
            .orElse("");
    return "{'Pod':" + pod + ",'Nodes':{'metadata':{},'items':[" + items + "]},'NodeNames':null}";
  }

  private static CapacityBench empty() {
    return new CapacityBench(TestClusters.empty());
  }

  private static CapacityBench full() {
    return new CapacityBench(TestClusters.full());
  }

  @Test
  void passesEveryNodeThatFitsAndAllocatesNothing() {
    CapacityBench bench = empty();

    assertThat(answer(on(bench).filter(bytes(named(RESNET50, "gpu-1", "gpu-2", "cpu-1")))))
        .isEqualTo(
            "{'Nodes':null,'NodeNames':['gpu-1','gpu-2'],'FailedNodes':{},"
                + "'FailedAndUnresolvableNodes':{'cpu-1':'NoCandidateGpu: no GPU is known on this"
                + " node'},'Error':''}");
    assertThat(bench.ledger().entries()).isEmpty();
  }

  @Test
  void bindsNothingWithoutAGateController() {
    String arguments = "{'PodName':'a','PodNamespace':'b','PodUID':'c','Node':'gpu-1'}";
    assertThat(answer(on(empty()).bind(bytes(arguments))))
        .isEqualTo("{'Error':'cotenant: pods are bound by the gate controller, in mode enforce'}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{'PodName':'a','PodNamespace':'b','PodUID':'c'}",
        "{'PodName':'a','PodNamespace':'b','PodUID':'','Node':'n'}",
        "{'PodName':7,'PodNamespace':'b','PodUID':'c','Node':'n'}",
      })
  void namesWhatIsMissingInABinding(String arguments) {
    assertThat(parsed(on(empty()).bind(bytes(arguments))).path("Error").asText())
        .startsWith("cotenant: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{'Pod':{}}",
        "{'Pod':{'metadata':{'uid':'u'}},'NodeNameToMetaVictims':[]}",
        "{'Pod':{'metadata':{}},'NodeNameToMetaVictims':{'n':{'Pods':[{'UID':'v'}]}}}",
        "{'Pod':{'metadata':{'uid':'u'}},'NodeNameToMetaVictims':{'n':7}}",
        "{'Pod':{'metadata':{'uid':'u'}},'NodeNameToMetaVictims':{'n':{'Pods':[{}]}}}",
      })
  void preemptsNothingByBrokenArguments(String arguments) {
    assertThat(answer(on(empty()).preempt(bytes(arguments))))
        .isEqualTo("{'NodeNameToMetaVictims':{}}");
  }

  @Test
  void holdsNothingWhereNodesComeInFull() {
    CapacityBench bench = empty();
    JsonNode answer = parsed(on(bench).filter(bytes(full(RESNET50, "gpu-1", "cpu-1", "gpu-2"))));

    assertThat(answer.path("Nodes"))
        .isEqualTo(
            json(
                "{'metadata':{},'items':["
                    + "{'metadata':{'name':'gpu-1','x':'kept'},'spec':{'unknown':1}},"
                    + "{'metadata':{'name':'gpu-2','x':'kept'},'spec':{'unknown':1}}]}"));
    assertThat(answer.path("NodeNames").isNull()).isTrue();
    assertThat(answer.path("FailedAndUnresolvableNodes"))
        .isEqualTo(json("{'cpu-1':'NoCandidateGpu: no GPU is known on this node'}"));
    assertThat(bench.ledger().entries()).isEmpty();
  }

  @Test
  void saysWithNumbersWhyANodeWillNotDo() {
    JsonNode result = parsed(on(full()).filter(bytes(named(RESNET50, "gpu-1", "gpu-2"))));
    assertThat(result.path("NodeNames")).isEmpty();
    assertThat(result.path("FailedNodes").path("gpu-1").asText())
        .startsWith("MemoryForecastExceeded: GPU-a2 on gpu-1: memory would reach 40.5 GiB")
        .contains(
            "UtilizationExceeded: GPU-a1 on gpu-1: predicted utilization would sum to 135.8 %",
            "limit 100.0 % (and 3 more)");
    assertThat(result.path("FailedNodes").path("gpu-2").asText())
        .contains("MetricsStale: GPU-v0 on gpu-2: newest memory sample is 540 s old, limit 120 s");
    assertThat(result.path("Error").asText()).isEmpty();
  }

  @Test
  void knowsWhatCanNeverFit() {
    JsonNode result = parsed(on(empty()).filter(bytes(named(BIG, "gpu-1", "gpu-2"))));
    assertThat(result.path("FailedNodes")).isEmpty();
    assertThat(result.path("FailedAndUnresolvableNodes").path("gpu-1").asText())
        .contains("MemoryForecastExceeded", "GPU-a0");
    assertThat(result.path("FailedAndUnresolvableNodes").path("gpu-2").asText()).isNotEmpty();
  }

  @Test
  void prefersNodesThatItPacksBetter() {
    // 50.8 % of 100 % on an A100 of gpu-1; 20 points more on the V100 of gpu-2.
    assertThat(answer(on(empty()).prioritize(bytes(full(RESNET50, "gpu-1", "gpu-2", "cpu-1")))))
        .isEqualTo(
            "[{'Host':'gpu-1','Score':5},{'Host':'gpu-2','Score':7},{'Host':'cpu-1','Score':0}]");
    // A whole GPU of five leaves four of them free, of two (one is MIG) none.
    String whole = RESNET50.replace("'cotenant.dev/model': 'resnet50', ", "");
    assertThat(answer(on(empty()).prioritize(bytes(full(whole, "gpu-1", "gpu-2")))))
        .isEqualTo("[{'Host':'gpu-1','Score':3},{'Host':'gpu-2','Score':10}]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c'}]}}",
        "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','resources':{'limits':"
            + "{'nvidia.com/gpu':'1'}}}]}}",
        "{'metadata':{'name':'a','labels':{'cotenant.dev/colocation':'disabled'},"
            + "'annotations':{'cotenant.dev/model':'resnet50'}},'spec':{'containers':"
            + "[{'name':'c','resources':{'limits':{'nvidia.com/gpu':'1'}}}]}}",
        "{'metadata':{'name':'a','annotations':{'cotenant.dev/model':'resnet50'}},"
            + "'spec':{'containers':"
            + "[{'name':'c','resources':{'limits':{'nvidia.com/mig-1g.10gb':'1'}}}]}}",
      })
  void letsPodsThatAreNotOursPass(String pod) {
    CapacityBench bench = full();
    assertThat(answer(on(bench).filter(bytes(named(pod, "gpu-1", "x")))))
        .isEqualTo(
            "{'Nodes':null,'NodeNames':['gpu-1','x'],'FailedNodes':{},"
                + "'FailedAndUnresolvableNodes':{},'Error':''}");
    assertThat(answer(on(bench).prioritize(bytes(named(pod, "gpu-1")))))
        .isEqualTo("[{'Host':'gpu-1','Score':0}]");
  }

  @Test
  void keepsAGrantedPodToItsNode() {
    String granted =
        RESNET50.replace(
            "'annotations': {", "'annotations': {'cotenant.dev/assigned-node': 'gpu-2', ");
    CapacityBench bench = full(); // although nothing would be granted there now
    assertThat(answer(on(bench).filter(bytes(named(granted, "gpu-1", "gpu-2")))))
        .isEqualTo(
            "{'Nodes':null,'NodeNames':['gpu-2'],'FailedNodes':{},'FailedAndUnresolvableNodes':"
                + "{'gpu-1':'the pod was granted capacity on node gpu-2'},'Error':''}");
    assertThat(answer(on(bench).prioritize(bytes(named(granted, "gpu-1", "gpu-2")))))
        .isEqualTo("[{'Host':'gpu-1','Score':0},{'Host':'gpu-2','Score':10}]");
    assertThat(parsed(on(bench).filter(bytes(named(granted, "gpu-1")))).path("NodeNames"))
        .isEmpty();
  }

  @Test
  void refusesAPodWhoseAnnotationsCannotBeUnderstoodEverywhere() {
    String bad =
        RESNET50.replace("'cotenant.dev/batch-size': '8'", "'cotenant.dev/batch-size': 'x'");
    JsonNode result = parsed(on(empty()).filter(bytes(named(bad, "gpu-1"))));
    assertThat(result.path("FailedAndUnresolvableNodes").path("gpu-1").asText())
        .contains("batch-size");
  }

  @Test
  void readsKeysInAnyCaseAndIgnoresThoseItDoesNotKnow() {
    String lower =
        named(RESNET50, "gpu-1")
            .replace("'Pod'", "'pod'")
            .replace("'NodeNames'", "'nodenames'")
            .replace("'Nodes'", "'nodes'")
            .replace("{'pod'", "{'Unknown':[1],'pod'");
    assertThat(parsed(on(empty()).filter(bytes(lower))).path("NodeNames"))
        .isEqualTo(json("['gpu-1']"));
  }

  @Test
  void answersEachNodeOnceAndNoneThatWasNotAskedAbout() {
    String twice = full(RESNET50, "gpu-1", "gpu-1");
    JsonNode result = parsed(on(empty()).filter(bytes(twice)));
    assertThat(result.path("Nodes").path("items")).hasSize(1);
    assertThat(parsed(on(empty()).filter(bytes(named(RESNET50, "cpu-9")))).path("NodeNames"))
        .isEmpty();
    assertThat(answer(on(empty()).filter(bytes("{'Pod':" + RESNET50 + ",'NodeNames':[]}"))))
        .contains("'NodeNames':[]", "'Error':''");
    assertThat(answer(on(empty()).filter(bytes("{'Pod':" + RESNET50 + ",'Nodes':{'items':null}}"))))
        .contains("'Nodes':{'items':[]}", "'Error':''");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "7",
        "{",
        "{}",
        "{'Pod':null,'NodeNames':['a']}",
        "{'Pod':[],'NodeNames':['a']}",
        "{'Pod':{}}",
        "{'Pod':{},'NodeNames':'a'}",
        "{'Pod':{},'NodeNames':[1]}",
        "{'Pod':{},'NodeNames':[null]}",
        "{'Pod':{},'Nodes':[]}",
        "{'Pod':{},'Nodes':{'items':{}}}",
        "{'Pod':{},'Nodes':{'items':[{'metadata':{}}]}}",
        "{'Pod':{'metadata':7},'NodeNames':['a']}",
        "{'Pod':{'metadata':{'annotations':{'cotenant.dev/model':1}}},'NodeNames':['a']}",
        "{'Pod':{'metadata':{'annotations':{'cotenant.dev/model':'m'}},'spec':{'containers':7}},"
            + "'NodeNames':['a']}",
        "{'Pod':{},'NodeNames':['a']} trailing",
      })
  void saysWhatIsAmissWithArguments(String arguments) {
    JsonNode result = parsed(on(empty()).filter(bytes(arguments)));
    assertThat(result.path("Error").asText()).startsWith("cotenant: ");
    assertThat(result.path("NodeNames").isNull()).isTrue();
    assertThat(answer(on(empty()).prioritize(bytes(arguments)))).isEqualTo("[]");
  }

  @Test
  void saysWhatIsAmissWithArgumentsThatAreTooDeep() {
    String deep = "{'Pod':{},'NodeNames':" + "[".repeat(5_000) + "]".repeat(5_000) + "}";
    assertThat(parsed(on(empty()).filter(bytes(deep))).path("Error").asText()).isNotEmpty();
  }

  @Test
  void answersForThousandsOfNodes() throws IOException {
    List<GpuSnapshot> gpus = new ArrayList<>();
    ArrayNode names = JSON.createArrayNode();
    for (int node = 0; node < 5_000; node++) {
      names.add("node-" + node);
      for (int gpu = 0; gpu < 2; gpu++) {
        gpus.add(
            TestClusters.a100(
                "GPU-" + node + "-" + gpu,
                "node-" + node,
                node == 4_999 ? new Tenancy.Shared(List.of()) : new Tenancy.Exclusive("team-b/x"),
                TestClusters.used(1)));
      }
    }
    CapacityBench bench = new CapacityBench(new ClusterSnapshot(TestClusters.NOW, gpus));
    ObjectNode arguments = JSON.createObjectNode();
    arguments.set("Pod", json(RESNET50));
    arguments.set("NodeNames", names);
    Extender extender = on(bench);

    JsonNode first = JSON.readTree(extender.filter(JSON.writeValueAsBytes(arguments)));
    assertThat(first.path("NodeNames")).isEqualTo(json("['node-4999']"));
    assertThat(first.path("FailedNodes")).hasSize(4_999);
  }
}
