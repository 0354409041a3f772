package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.ApiServer;
import dev.cotenant.admission.kubernetes.Ungate;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.e2e.CotenantProcess.Install;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packaged service against a real API server: its programs where {@code KUBEBUILDER_ASSETS}
 * names their folder. There is no scheduler, kubelet or controller-manager: pods are bound and
 * deleted by the tests, and what a ReplicaSet would make is made by hand, with its owner.
 */
class EndToEndIT {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String TEAM = "team-a";
  private static final String GATES = "/spec/schedulingGates";
  private static final String ASSIGNED = "/metadata/annotations/cotenant.dev~1assigned-gpu";
  private static final String TOKEN = "/metadata/annotations/cotenant.dev~1token";
  private static final List<String> NODES = List.of("node-1", "node-2");

  @TempDir static Path folder;

  private static TestControlPlane plane;
  private static Kube admin;
  private static Install install;
  private static int webhookPort;

  private final List<CotenantProcess> processes = new ArrayList<>();

  @BeforeAll
  static void startApiServer() throws IOException {
    String assets = System.getenv("KUBEBUILDER_ASSETS");
    if (assets == null || !Files.isExecutable(Path.of(assets, "kube-apiserver"))) {
      abort("SKIPPED: KUBEBUILDER_ASSETS names no folder with kube-apiserver and etcd");
    }
    plane = new TestControlPlane(Path.of(assets), folder);
    admin = plane.admin();
    webhookPort = TestControlPlane.freePort();
    installCluster();
    install = new Install(folder, recordedCluster(), kubeconfig(TestControlPlane.COTENANT));
  }

  @AfterAll
  static void stopApiServer() {
    if (plane != null) {
      plane.close();
    }
  }

  private static void installCluster() {
    admin.ensure(Manifest.NAMESPACES, Manifest.namespace("cotenant-system", "disabled"));
    admin.ensure(Manifest.NAMESPACES, Manifest.namespace(TEAM, "enabled"));
    admin.ensure(Manifest.NAMESPACES, Manifest.namespace("team-out", "disabled"));
    String user = "system:serviceaccount:cotenant-system:cotenant";
    admin.ensure(Manifest.RBAC + "/clusterroles", Manifest.clusterRole());
    admin.ensure(
        Manifest.RBAC + "/clusterrolebindings",
        Manifest.binding("ClusterRole", "cotenant", "", user));
    String roles = Manifest.RBAC + "/namespaces/cotenant-system/";
    admin.ensure(roles + "roles", Manifest.leaseRole());
    admin.ensure(
        roles + "rolebindings", Manifest.binding("Role", "cotenant", "cotenant-system", user));
    for (String node : NODES) {
      admin.ensure(Manifest.NODES, Manifest.node(node));
      // The API server taints new nodes; a node controller takes that away when they are ready.
      admin.merge(Manifest.NODES + "/" + node, "{\"spec\": {\"taints\": null}}");
      assertThat(admin.merge(Manifest.NODES + "/" + node + "/status", Manifest.nodeStatus()).code())
          .isEqualTo(200);
    }
  }

  /** One free GPU a node, out of the example. */
  private static Path recordedCluster() throws IOException {
    Path example = Path.of(System.getProperty("cotenant.root"), "examples/clusters/empty.json");
    ObjectNode cluster = (ObjectNode) MAPPER.readTree(example.toFile());
    JsonNode gpus = cluster.path("gpus").deepCopy();
    cluster.putArray("gpus");
    for (int i = 0; i < NODES.size(); i++) {
      cluster.withArray("gpus").add(((ObjectNode) gpus.path(i)).put("node", NODES.get(i)));
    }
    return Files.writeString(folder.resolve("cluster.json"), cluster.toString());
  }

  private static Path kubeconfig(String token) throws IOException {
    return Files.writeString(
        folder.resolve("kubeconfig-" + token),
        """
        apiVersion: v1
        kind: Config
        current-context: test
        clusters: [{name: test, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
        users: [{name: test, user: {token: "%s"}}]
        contexts: [{name: test, context: {cluster: test, user: test}}]
        """
            .formatted(admin.url(), token));
  }

  @BeforeEach
  void startService() {
    CotenantProcess first = start("replica-1");
    String url = "https://127.0.0.1:" + webhookPort;
    admin.delete(Manifest.MUTATING + "/" + Manifest.WEBHOOK_NAME);
    admin.delete(Manifest.VALIDATING + "/" + Manifest.WEBHOOK_NAME);
    admin.ensure(Manifest.MUTATING, Manifest.mutating(url, first.certificateAuthority()));
    admin.ensure(Manifest.VALIDATING, Manifest.validating(url, first.certificateAuthority()));
    Eventually.holds("the first replica decides", first::isDeciding);
    Eventually.holds("the webhooks are called", EndToEndIT::isGated);
  }

  /** The API server takes a moment to learn of a webhook. */
  private static boolean isGated() {
    String path = Manifest.pods(TEAM) + "?dryRun=All";
    return admin.create(path, Manifest.wholeGpu("probe")).body().at(GATES).isArray();
  }

  private CotenantProcess start(String name) {
    int port = processes.isEmpty() ? webhookPort : 0;
    CotenantProcess started = CotenantProcess.start(install, name, port);
    processes.add(started);
    return started;
  }

  @AfterEach
  void stopService() {
    processes.forEach(CotenantProcess::close);
    admin.delete(Manifest.MUTATING + "/" + Manifest.WEBHOOK_NAME);
    admin.delete(Manifest.VALIDATING + "/" + Manifest.WEBHOOK_NAME);
    for (String namespace : List.of(TEAM, "team-out")) {
      for (JsonNode pod : admin.list(Manifest.pods(namespace))) {
        delete(namespace, pod.at("/metadata/name").asText());
      }
    }
  }

  private static void delete(String namespace, String name) {
    admin.delete(Manifest.pods(namespace) + "/" + name);
    Eventually.holds(name + " is gone", () -> pod(namespace, name).isEmpty());
  }

  private static Optional<JsonNode> pod(String namespace, String name) {
    Kube.Answer answer = admin.get(Manifest.pods(namespace) + "/" + name);
    return answer.isSuccessful() ? Optional.of(answer.body()) : Optional.empty();
  }

  private static JsonNode create(String manifest) {
    Kube.Answer answer = admin.create(Manifest.pods(TEAM), manifest);
    assertThat(answer.code()).as(answer.body().toString()).isEqualTo(201);
    return answer.body();
  }

  private static boolean isLetGo(String name) {
    return pod(TEAM, name).filter(pod -> !hasGate(pod)).isPresent();
  }

  private static boolean hasGate(JsonNode pod) {
    return pod.at(GATES).toString().contains(Manifest.GATE);
  }

  /** Whole GPUs: no two pods that were let go have one. */
  private static void assertNoGpuIsGrantedTwice() {
    Set<String> seen = new HashSet<>();
    for (JsonNode pod : admin.list(Manifest.pods(TEAM))) {
      String gpu = pod.at(ASSIGNED).asText("");
      if (!gpu.isEmpty() && !hasGate(pod)) {
        assertThat(seen.add(gpu)).as("%s is granted once", gpu).isTrue();
      }
    }
  }

  @Test
  void holdsAPodUntilItIsGrantedRoom() {
    JsonNode created = create(Manifest.wholeGpu("first"));
    assertThat(hasGate(created)).isTrue();
    assertThat(created.at(TOKEN).asText()).isNotEmpty();
    Eventually.holds("it is let go", () -> isLetGo("first"));

    JsonNode granted = pod(TEAM, "first").orElseThrow();
    assertThat(granted.at(ASSIGNED).asText()).startsWith("GPU-");
    assertThat(granted.at("/spec/nodeSelector/kubernetes.io~1hostname").asText()).isIn(NODES);
    assertThat(granted.at(TOKEN)).isEqualTo(created.at(TOKEN));
  }

  @Test
  void leavesNamespacesAloneThatDidNotOptIn() {
    Kube.Answer answer = admin.create(Manifest.pods("team-out"), Manifest.wholeGpu("other"));

    assertThat(answer.code()).isEqualTo(201);
    assertThat(hasGate(answer.body())).isFalse();
    assertThat(answer.body().at(TOKEN).isMissingNode()).isTrue();
  }

  @Test
  void refusesWhatCanNeverWorkAndSaysWhy() {
    String bad =
        Manifest.pod("bad", ", \"annotations\": {\"cotenant.dev/batch-size\": \"many\"}", "");

    Kube.Answer answer = admin.create(Manifest.pods(TEAM), bad);

    assertThat(answer.isSuccessful()).isFalse();
    assertThat(answer.message()).contains("cotenant.dev/batch-size", "many");
  }

  @Test
  void nobodyElseChangesWhatItWrites() {
    create(Manifest.wholeGpu("guarded"));
    Eventually.holds("it is let go", () -> isLetGo("guarded"));

    Kube.Answer answer =
        admin.merge(
            Manifest.pods(TEAM) + "/guarded",
            "{\"metadata\": {\"annotations\": {\"cotenant.dev/assigned-gpu\": \"GPU-x\"}}}");

    assertThat(answer.isSuccessful()).isFalse();
    assertThat(answer.message()).contains("cotenant.dev/assigned-gpu");
  }

  @Test
  void letsTheMoreImportantGoFirst() {
    admin.ensure(
        "/apis/scheduling.k8s.io/v1/priorityclasses", Manifest.priorityClass("urgent", 100_000));
    fill();
    create(Manifest.wholeGpu("patient"));
    create(Manifest.pod("urgent", "", ", \"priorityClassName\": \"urgent\""));
    Eventually.holds(
        "both are held with a reason",
        () ->
            List.of("patient", "urgent").stream()
                .allMatch(name ->
                    pod(TEAM, name).orElseThrow().toString().contains("cotenant.dev/reason")));

    delete(TEAM, "full-1");
    Eventually.holds("the urgent one is let go", () -> isLetGo("urgent"));
    assertThat(isLetGo("patient")).isFalse();

    delete(TEAM, "full-2");
    Eventually.holds("then the other", () -> isLetGo("patient"));
    assertNoGpuIsGrantedTwice();
  }

  /** Every GPU is granted whole. */
  private static void fill() {
    for (int i = 1; i <= NODES.size(); i++) {
      String name = "full-" + i;
      create(Manifest.wholeGpu(name));
      Eventually.holds(name + " is let go", () -> isLetGo(name));
    }
  }

  @Test
  void saysInEventsWhyAPodWaits() {
    fill();
    create(Manifest.wholeGpu("waits"));
    Eventually.holds(
        "there is an event",
        () ->
            admin.list(Manifest.NAMESPACES + "/" + TEAM + "/events").stream()
                .anyMatch(event -> event.at("/involvedObject/name").asText().equals("waits")));
  }

  @Test
  void aRestartForgetsNothing() {
    fill();
    create(Manifest.wholeGpu("held-1"));
    create(Manifest.wholeGpu("held-2"));
    processes.getFirst().kill();
    processes.clear();
    CotenantProcess again = start("replica-1");
    Eventually.holds("it decides again", again::isDeciding);
    assertThat(isLetGo("held-1")).isFalse();
    assertThat(isLetGo("held-2")).isFalse();

    delete(TEAM, "full-1");
    delete(TEAM, "full-2");
    Eventually.holds("both are let go", () -> isLetGo("held-1") && isLetGo("held-2"));
    assertNoGpuIsGrantedTwice();
  }

  @Test
  void anotherReplicaTakesOverWhenTheLeaderIsKilled() {
    CotenantProcess second = start("replica-2");
    create(Manifest.wholeGpu("before"));
    Eventually.holds("it is let go", () -> isLetGo("before"));
    assertThat(second.metric("cotenant_leader")).isZero();

    processes.getFirst().kill();
    Eventually.holds("the second leads", second::isDeciding);
    assertThat(second.metric("cotenant_leader")).isEqualTo(1);

    // Its webhooks died with the first: what it gated before is what the second decides on.
    String gated =
        Manifest.pod(
            "after",
            ", \"annotations\": {\"cotenant.dev/token\": \"made-by-the-test\"}",
            ", \"schedulingGates\": [{\"name\": \"" + Manifest.GATE + "\"}]");
    create(gated);
    Eventually.holds("it is let go", () -> isLetGo("after"));
    assertNoGpuIsGrantedTwice();
  }

  @Test
  void aWebhookThatIsDownLetsPodsThroughAndThatIsSeen() {
    processes.getFirst().close();
    processes.clear();
    JsonNode missed = create(Manifest.wholeGpu("missed"));
    assertThat(hasGate(missed)).isFalse();
    assertThat(missed.at(TOKEN).isMissingNode()).isTrue();
    bind("missed", NODES.getFirst());

    CotenantProcess again = start("replica-1");
    Eventually.holds("it is counted", () -> again.metric("cotenant_missed_pods_total") >= 1);
  }

  private static void bind(String pod, String node) {
    Kube.Answer answer =
        admin.create(
            Manifest.pods(TEAM) + "/" + pod + "/binding",
            """
            {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "%s"},
             "target": {"apiVersion": "v1", "kind": "Node", "name": "%s"}}
            """
                .formatted(pod, node));
    assertThat(answer.code()).as(answer.message()).isEqualTo(201);
  }

  @Test
  void podsOfOneOwnerAreGrantedEachForItself() {
    String owner =
        ", \"ownerReferences\": [{\"apiVersion\": \"apps/v1\", \"kind\": \"ReplicaSet\","
            + " \"name\": \"infer\", \"uid\": \"00000000-0000-4000-8000-000000000001\","
            + " \"controller\": true}]";
    create(Manifest.pod("infer-1", owner, ""));
    create(Manifest.pod("infer-2", owner, ""));
    Eventually.holds("both are let go", () -> isLetGo("infer-1") && isLetGo("infer-2"));
    assertNoGpuIsGrantedTwice();
  }

  @Test
  void afterUninstallingNothingIsHeld() throws IOException, InterruptedException {
    fill();
    create(Manifest.wholeGpu("held"));
    processes.getFirst().close();
    try (ApiServer server =
        ApiServer.of(
            Optional.of(kubeconfig(TestControlPlane.COTENANT)), ApiServer.DEFAULT_TIMEOUT)) {
      Ungate ungate = new Ungate(server);
      ungate.removeWebhooks(Manifest.WEBHOOK_NAME);
      assertThat(ungate.ungateAll().isComplete()).isTrue();
    }

    assertThat(isLetGo("held")).isTrue();
    assertThat(hasGate(create(Manifest.wholeGpu("later")))).isFalse();
    assertThat(admin.get(Manifest.MUTATING + "/" + Manifest.WEBHOOK_NAME).code()).isEqualTo(404);
  }
}
