package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Pods of users on nodes of every shape: a pod runs while a suitable node is idle, waits with its
 * gate while there is none, and no kubelet rejects it.
 */
@ExtendWith(OnStage.class)
abstract class SchedulingScenarios {
  private static final String KUEUE = "kueue.x-k8s.io/admission";

  private static final Duration DECIDED_WITHIN = Duration.ofMinutes(5);

  private static final AtomicInteger TESTS = new AtomicInteger();

  private final int test = TESTS.incrementAndGet();
  private Stage stage;
  private Pods pods;
  private Workloads workloads;

  /** The namespace of the pods. */
  abstract String namespace(Stage stage);

  @BeforeEach
  void needAScheduler(Stage given) {
    stage = given;
    stage.requireScheduler();
    stage.requireWebhooks();
    pods = stage.pods(namespace(stage));
    workloads = stage.workloads(namespace(stage));
  }

  /** A node of this test alone, so that nothing is known of it from others. */
  private GpuNode node(String suffix) {
    return GpuNode.named(stage.names().node(test + "-" + suffix));
  }

  private void nodes(GpuNode... nodes) {
    stage.nodes().set(List.of(nodes));
  }

  private String create(PodManifest pod) {
    return pods.create(pod).at("/metadata/name").asText();
  }

  private String run(PodManifest pod) {
    String name = create(pod);
    pods.awaitRunning(name);
    return name;
  }

  private List<String> create(String prefix, int number) {
    return IntStream.rangeClosed(1, number)
        .mapToObj(i -> create(PodManifest.named(prefix + i)))
        .toList();
  }

  private void awaitRunning(List<String> names, int number) {
    try {
      Eventually.holds(number + " pods run", () -> pods.running(names) >= number);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ", but " + placed(names), e);
    }
    assertThat(pods.running(names)).isEqualTo(number);
  }

  /** Of those pods: where each is, or why not. */
  private Map<String, String> placed(List<String> names) {
    return pods.all().stream()
        .filter(pod -> names.contains(pod.at("/metadata/name").asText()))
        .collect(
            Collectors.toMap(
                pod -> pod.at("/metadata/name").asText(),
                pod ->
                    pod.at("/spec/nodeName").asText("")
                        + pod.at("/status/conditions")
                        + pod.at("/metadata/annotations")));
  }

  private List<String> held(List<String> names) {
    return names.stream().filter(name -> !pods.isUngated(name)).toList();
  }

  @Test
  void sharersOnAStockDevicePluginRunOnNodesOfTheirOwn() {
    nodes(node("a"), node("b"));
    String first = run(PodManifest.named("first").sharing());
    String second = run(PodManifest.named("second").sharing());
    assertThat(pods.node(first)).isNotEqualTo(pods.node(second));

    String third = create(PodManifest.named("third").sharing());
    pods.awaitReason(third);
    pods.delete(first);
    pods.awaitRunning(third);
  }

  @Test
  void sharersRunOnOneGpuThatIsOfferedToAll() {
    nodes(node("a").offeredEach(4));
    String first = run(PodManifest.named("first").sharing());
    String second = run(PodManifest.named("second").sharing());

    assertThat(pods.gpu(first)).isNotEmpty().isEqualTo(pods.gpu(second));
  }

  @Test
  void aNodeWithoutFreeCpuIsLeftForAnIdleOne() {
    nodes(node("a").allocatable("cpu", "8"), node("b").allocatable("cpu", "8"));
    Pods outside = stage.pods(stage.names().outside());
    outside.create(
        PodManifest.named("busy").withoutGpu().onNode(node("a").name()).requesting("cpu", "7"));
    outside.awaitRunning("busy");

    String pod = run(PodManifest.named("train").requesting("cpu", "2"));
    assertThat(pods.node(pod)).isEqualTo(node("b").name());
  }

  @Test
  void aNodeWithoutFreeMemoryIsLeftForAnIdleOne() {
    nodes(node("a").allocatable("memory", "1Gi"), node("b"));

    String pod = run(PodManifest.named("train").requesting("memory", "2Gi"));
    assertThat(pods.node(pod)).isEqualTo(node("b").name());
  }

  @Test
  void replicasWithAntiAffinityRunOnDifferentHosts() {
    nodes(node("a").with(2), node("b").with(2));
    PodManifest pod =
        PodManifest.named("apart")
            .specified(
                "affinity",
                """
                {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                  {"topologyKey": "kubernetes.io/hostname",
                   "labelSelector": {"matchLabels": {"app": "apart"}}}]}}
                """);
    List<String> replicas = workloads.deploy("apart", 2, pod);

    awaitRunning(replicas, 2);
    assertThat(replicas.stream().map(pods::node).distinct()).hasSize(2);
  }

  @Test
  void replicasWithASpreadConstraintRunInAllZones() {
    nodes(node("a").with(4).inZone("x"), node("b").with(4).inZone("y"));
    PodManifest pod =
        PodManifest.named("spread")
            .specified(
                "topologySpreadConstraints",
                """
                [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                  "whenUnsatisfiable": "DoNotSchedule",
                  "labelSelector": {"matchLabels": {"app": "spread"}}}]
                """);
    List<String> replicas = workloads.deploy("spread", 4, pod);

    awaitRunning(replicas, 4);
    assertThat(replicas.stream().map(pods::node).collect(Collectors.groupingBy(node -> node)))
        .hasSize(2)
        .allSatisfy((_, there) -> assertThat(there).hasSize(2));
  }

  @Test
  void aPodRunsWhereItsVolumeIs() {
    nodes(node("a").with(2), node("b").with(2));
    Volumes volumes = new Volumes(stage.admin(), namespace(stage));
    volumes.create(stage.names().release() + "-data", node("b").name());
    try {
      String pod =
          run(
              PodManifest.named("reads")
                  .specified(
                      "volumes",
                      "[{\"name\": \"data\", \"persistentVolumeClaim\": {\"claimName\": \"%s\"}}]"
                          .formatted(stage.names().release() + "-data")));
      assertThat(pods.node(pod)).isEqualTo(node("b").name());
    } finally {
      volumes.delete(stage.names().release() + "-data");
    }
  }

  @Test
  void moreGpusThanANodeHasAreNeverGranted() {
    nodes(node("a").with(8));
    List<String> all = create("one-of-12-", 12);

    awaitRunning(all, 8);
    assertThat(held(all)).hasSize(4).allSatisfy(pods::awaitReason);
    List<String> waiting = held(all);
    all.stream().filter(name -> !waiting.contains(name)).limit(4).forEach(pods::delete);
    awaitRunning(waiting, 4);
    pods.awaitReason(create(PodManifest.named("one-more")));
  }

  @Test
  void aPodThatOptedOutTakesItsOwnGpuOnly() {
    nodes(node("a").with(8));
    run(PodManifest.named("unmanaged").optedOut());
    List<String> all = create("one-of-8-", 8);

    awaitRunning(all, 7);
    assertThat(held(all)).hasSize(1).allSatisfy(pods::awaitReason);
    pods.delete("unmanaged");
    awaitRunning(all, 8);
  }

  @Test
  void aPodThatOptedOutAfterAGrantKeepsOthersOut() {
    nodes(node("a").offeredEach(4));
    run(PodManifest.named("first").sharing());
    run(PodManifest.named("unmanaged").optedOut());

    String second = create(PodManifest.named("second").sharing());
    pods.awaitReason(second);
    pods.delete("unmanaged");
    pods.awaitRunning(second);
  }

  @Test
  void aProductThatIsNotInTheCatalogueIsGrantedWhole() {
    nodes(node("a").with(2).of(GpuNode.Product.TITAN_RTX));
    run(PodManifest.named("known").sharing());
    run(PodManifest.named("unknown"));

    String third = create(PodManifest.named("third"));
    pods.awaitReason(third);
  }

  @Test
  void aGpuThatAResourceClaimHoldsIsNotGranted() {
    nodes(node("a"));
    Devices devices = new Devices(stage.admin(), stage.names().outside());
    String claim = "claim-" + test;
    devices.publish(node("a"));
    devices.claim(claim);
    try {
      Pods outside = stage.pods(stage.names().outside());
      outside.create(
          PodManifest.named("claims")
              .withoutGpu()
              .specified(
                  "resourceClaims",
                  "[{\"name\": \"gpu\", \"resourceClaimName\": \"%s\"}]".formatted(claim)));
      outside.awaitRunning("claims");

      String pod = create(PodManifest.named("train"));
      pods.awaitReason(pod);
      outside.delete("claims");
      pods.awaitRunning(pod);
    } finally {
      devices.delete(claim, node("a"));
    }
  }

  @Test
  void theReplacementOfADrainedPodRunsElsewhere() {
    nodes(node("a"), node("b"));
    String pod = workloads.deploy("drained", 1, PodManifest.named("drained")).getFirst();
    pods.awaitRunning(pod);
    String node = pods.node(pod);

    stage.nodes().cordon(node);
    pods.evict(pod);

    String replacement = replacementOf(pod, "drained");
    pods.awaitRunning(replacement);
    assertThat(pods.node(replacement)).isNotEqualTo(node);
  }

  @Test
  void theReplacementOfAPodOnADeletedNodeRunsElsewhere() {
    nodes(node("a"), node("b"));
    String pod = workloads.deploy("orphaned", 1, PodManifest.named("orphaned")).getFirst();
    pods.awaitRunning(pod);
    String node = pods.node(pod);

    stage.nodes().delete(node);

    String replacement = replacementOf(pod, "orphaned");
    pods.awaitRunning(replacement);
    assertThat(pods.node(replacement)).isNotEqualTo(node);
  }

  private String replacementOf(String pod, String workload) {
    List<String> others = new ArrayList<>();
    Eventually.holds(
        pod + " is replaced",
        () -> {
          others.clear();
          others.addAll(workloads.podsOf(workload));
          return others.size() == 1 && !others.contains(pod);
        });
    return others.getFirst();
  }

  @Test
  void fiftyReplicasOfADeploymentRun() {
    List<GpuNode> seven = new ArrayList<>();
    IntStream.rangeClosed(1, 7).forEach(i -> seven.add(node("of-7-" + i).with(8)));
    stage.nodes().set(seven);
    List<String> replicas = workloads.deploy("fifty", 50, PodManifest.named("fifty"));

    awaitRunning(replicas, 50);
  }

  @Test
  void aJobOfSixtyPodsCompletes() {
    nodes(node("a").with(8), node("b").with(8));
    workloads.createJob("sixty", 60, 20, PodManifest.named("sixty").runningFor(1));

    Eventually.holds("60 pods have succeeded", () -> workloads.completed("sixty") == 60);
  }

  @Test
  void aPodThatKueueHoldsTakesNoCapacity() {
    nodes(node("a"));
    create(PodManifest.named("queued").gatedBy(KUEUE));
    run(PodManifest.named("other"));
    assertThat(pods.get("queued").at("/spec/schedulingGates").toString())
        .contains(KUEUE, PodManifest.GATE);
    pods.delete("other");

    List<JsonNode> gates = new ArrayList<>();
    pods.get("queued").at("/spec/schedulingGates").forEach(gates::add);
    gates.removeIf(gate -> gate.path("name").asText().equals(KUEUE));
    JsonNode kept = new ObjectMapper().valueToTree(gates);
    stage
        .admin()
        .merge(pods.path("queued"), "{\"spec\": {\"schedulingGates\": " + kept + "}}")
        .required();
    pods.awaitRunning("queued");
  }

  /** Prints how long 1,000 pods on 100 GPUs take. */
  @Test
  @Tag("long")
  void aThousandPodsOnAHundredGpusAreDecided() throws InterruptedException {
    stage
        .nodes()
        .set(
            IntStream.rangeClosed(1, 100)
                .mapToObj(i -> node("of-100-" + i).offeredEach(4))
                .toList());
    CotenantProcess service = stage.replicas().deciding();
    Eventually.holds(
        "the GPUs are known", () -> service.get("/v1/gpus").contains(node("of-100-100").name()));
    double writesBefore = service.writes();
    long begin = System.nanoTime();
    IntStream.rangeClosed(1, 1000)
        .parallel()
        .forEach(i -> create(PodManifest.named("of-1000-" + i).sharing()));
    long created = System.nanoTime();

    while (pods.all().stream().anyMatch(pod -> !isDecided(pod))) {
      assertThat(System.nanoTime()).isLessThan(created + DECIDED_WITHIN.toNanos());
      Thread.sleep(500);
    }

    long decided = System.nanoTime();
    long running = pods.all().stream().filter(Pods::isRunning).count();
    double writes = (service.writes() - writesBefore) / 1000;
    System.err.printf(
        "[e2e] %s: 1,000 pods in %.1f s, decided %.1f s later, %d run, %.2f writes a pod%n",
        namespace(stage), (created - begin) / 1e9, (decided - created) / 1e9, running, writes);
    assertThat(running).isGreaterThan(100);
    assertThat(writes).isLessThanOrEqualTo(2);
  }

  private static boolean isDecided(JsonNode pod) {
    return Pods.isRunning(pod)
        || (Pods.hasGate(pod) && !pod.at(Pods.annotation("reason")).isMissingNode());
  }
}
