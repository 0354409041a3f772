package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A cluster with a release of the chart in it, two idle GPUs and what measures them; the same for
 * all tests of a run. Before each test there is exactly one replica, which decides, and the API
 * server calls it; after each, no pod is left.
 */
final class Stage implements AutoCloseable {
  private static final Duration REACHED_WITHIN = Duration.ofSeconds(30);
  private static final String NAMESPACES = "/api/v1/namespaces";
  private static final String PRIORITY_CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";
  private static final String NO_WEBHOOKS =
      "the API server does not reach the webhooks at %s; name an address of this machine that it"
          + " reaches in "
          + NamedCluster.WEBHOOK_HOST;

  private final Path root = Path.of(System.getProperty("cotenant.root"));
  private final Path folder;
  private final Cluster cluster;
  private final Kube admin;
  private final Names names;
  private final Abilities abilities;
  private final DcgmMetrics metrics;
  private final WebhookCertificate certificate;
  private final Release release;
  private final GpuNodes nodes;
  private final FakeKubelet kubelet;
  private final Replicas replicas;
  private boolean reachable;

  private Stage(Cluster cluster, Path folder) {
    this.cluster = cluster;
    this.folder = folder;
    admin = new Kube(cluster.admin());
    names = cluster.names();
    abilities = new Abilities(admin);
    requireAloneHere();
    nodes = new GpuNodes(admin);
    metrics = new DcgmMetrics(nodes::all);
    certificate = new WebhookCertificate(folder, cluster.webhookHost());
    release = new Release(root, names, values());
    makeNamespaces();
    setDefaultNodes();
    kubelet = new FakeKubelet(admin, nodes);
    release.installAccess(admin);
    String token = release.token(admin, release.account());
    replicas =
        new Replicas(
            new CotenantProcess.Install(
                folder, root, container(), configuration(), cluster.kubeconfig(folder, token)),
            cluster.webhookHost());
    reachable = callsWebhooks();
    System.err.println(
        "[e2e] API server " + abilities.version() + " at " + cluster.admin().getMasterUrl());
  }

  /** In the cluster that the environment names; skips the test where it names none. */
  static Stage open() {
    try {
      Path folder = Files.createTempDirectory("cotenant-e2e");
      return opened(Clusters.find(folder), folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @SuppressWarnings("resource") // a stage that opens closes its cluster
  private static Stage opened(Cluster cluster, Path folder) {
    boolean open = false;
    try {
      Stage stage = new Stage(cluster, folder);
      open = true;
      return stage;
    } finally {
      if (!open) {
        cluster.close();
      }
    }
  }

  /** Another Cotenant would gate our pods too. */
  private void requireAloneHere() {
    List<JsonNode> all =
        admin.list("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations");
    if (all.toString().contains("mutate.cotenant.dev")) {
      abort("SKIPPED: there is a release of Cotenant in this cluster already");
    }
  }

  /** Those of the chart, but for where things are and for how patient tests are. */
  private String values() {
    return """
    prometheus: {url: "%s", refreshInterval: 1s}
    kubernetes: {requestTimeout: 2s, leaseDuration: 12s, renewDeadline: 9s, retryPeriod: 500ms}
    certs: {existingSecret: tls-of-the-test, caBundle: "%s"}
    webhook: {timeoutSeconds: 10}
    rbac: {deletePods: true}
    networkPolicy: {enabled: true}
    policy: {outOfMemory: resubmit, unschedulable: resubmit, limits: {utilizationPercent: 110, coveragePercent: 80, slowdown: 2}}
    gate: {unschedulableAfter: 5s}
    policies:
      scheduled: {namespaces: [%s], schedulerName: %s}
      by-default: {namespaces: [%s], schedulerName: default-scheduler}
      claiming:
        namespaces: [%s]
        gpuAssignment: dra
        claims: {sharing: mps, threadPercent: 40, memoryLimit: 10G}
      dividing: {namespaces: [%s], gpuAssignment: dra, claims: {sharing: capacity}}
      slicing: {namespaces: [%s], gpuAssignment: dra, claims: {sharing: mig}}
      evicting: {namespaces: [%s], preemption: evict, guard: act, guardTime: 1m}
      serving: {namespaces: [%s], engineBudget: write, limits: {utilizationPercent: 300, slowdown: 4}}
      profiling:
        namespaces: [%s]
        profiling: unknown-first
        profileTime: 2m
        guard: act
        guardTime: 1m
        limits: {utilizationPercent: 300, slowdown: 4}
      filling: {namespaces: [%s], mode: fill, fillTarget: hami, fillKillsPerWeek: 1000}
      capping: {namespaces: [%s], mode: cap, fillTarget: hami, fillKillsPerWeek: 1000}
      templates: {namespaces: [%s], mode: fill, fillTarget: hami, fillScope: templates}
    """
        .formatted(
            metrics.url(),
            certificate.authority(),
            names.scheduled(),
            ExtenderScheduler.PROFILE,
            names.scheduledByDefault(),
            names.claiming(),
            names.dividing(),
            names.slicing(),
            names.evicting(),
            names.serving(),
            names.profiling(),
            names.filling(),
            names.capping(),
            names.templates());
  }

  private void makeNamespaces() {
    makeNamespace(names.system(), "disabled");
    names.optedIn().forEach(name -> makeNamespace(name, "enabled"));
    makeNamespace(names.outside(), "disabled");
  }

  private void makeNamespace(String name, String colocation) {
    admin
        .create(
            NAMESPACES,
            """
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "%s", "labels": {
               "kubernetes.io/metadata.name": "%s", "cotenant.dev/colocation": "%s"}}}
            """
                .formatted(name, name, colocation))
        .required();
  }

  private JsonNode container() {
    return release.only("Deployment", _ -> true).at("/spec/template/spec/containers/0");
  }

  /** As the API server gives it, with the certificate's folder where this machine has it. */
  private String configuration() {
    String path = release.named(release.only("ConfigMap", Stage::isConfiguration));
    return admin
        .get(path)
        .required()
        .at("/data/application.properties")
        .asText()
        .replace("/etc/cotenant/tls/", certificate.folder() + "/");
  }

  private static boolean isConfiguration(JsonNode map) {
    return map.path("data").has("application.properties");
  }

  /** Whether pods are gated, once a replica is there; webhooks that nobody reaches are removed. */
  private boolean callsWebhooks() {
    replicas.one();
    installWebhooks();
    long end = System.nanoTime() + REACHED_WITHIN.toNanos();
    while (System.nanoTime() < end) {
      if (isGated()) {
        return true;
      }
    }
    if (cluster.mustReachWebhooks()) {
      throw new AssertionError(NO_WEBHOOKS.formatted(cluster.webhookHost()));
    }
    abilities.leaveOut(NO_WEBHOOKS.formatted(cluster.webhookHost()) + "; the tests gate pods");
    release.removeWebhooks(admin);
    return false;
  }

  private void installWebhooks() {
    release.installWebhooks(admin, "https://" + cluster.webhookHost() + ":" + replicas.port());
  }

  private boolean isGated() {
    String probe = PodManifest.named("probe").json().toString();
    return Pods.hasGate(admin.create(pods().path() + "?dryRun=All", probe).body());
  }

  private void setDefaultNodes() {
    nodes.set(names.nodes().stream().map(GpuNode::named).toList());
  }

  /** One replica that decides, and webhooks that are called. */
  void setUp() {
    setDefaultNodes();
    replicas.one();
    if (reachable) {
      if (!release.hasWebhooks(admin)) {
        installWebhooks();
      }
      Eventually.holds("the webhooks are called", this::isGated);
    }
  }

  /** Removes what a test has made. */
  void tearDown() {
    for (String namespace : users()) {
      Pods all = pods(namespace);
      workloads(namespace).deleteAll();
      Eventually.holds(
          "no pod is left",
          () -> {
            all.all().forEach(pod -> admin.delete(all.path(pod.at("/metadata/name").asText())));
            return all.all().isEmpty();
          });
    }
  }

  /** The namespaces of pods. */
  private List<String> users() {
    List<String> all = new ArrayList<>(names.optedIn());
    all.add(names.outside());
    return all;
  }

  /** Fails where a kubelet had no room for a pod that a grant and the scheduler sent to it. */
  void assertNoPodWasRejected() {
    assertThat(kubelet.takeProblems()).as("pods that kubelets rejected").isEmpty();
  }

  /** Skips a test of where pods run, where nothing binds them. */
  void requireScheduler() {
    abilities.require(cluster.hasScheduler(), "and there is no kube-scheduler to bind pods");
    abilities.require(cluster.hasControllers(), "and no controllers create pods");
  }

  /** Skips a test of the webhooks where the API server does not reach them. */
  void requireWebhooks() {
    abilities.require(reachable, NO_WEBHOOKS.formatted(cluster.webhookHost()));
  }

  /** Creates a pod that is held: by the webhook, or where that is not reached, by the test. */
  JsonNode createHeld(PodManifest pod) {
    JsonNode created = pods().create(gatedUnlessReached(pod));
    if (!Pods.hasGate(created)) {
      throw new AssertionError("not gated: " + created);
    }
    return created;
  }

  /** What a pod must be to be held. */
  PodManifest gatedUnlessReached(PodManifest pod) {
    return reachable ? pod : pod.gated();
  }

  /** Pods of an unknown model, one for each GPU, which they all get whole. */
  List<String> fill() {
    return fill(names.team());
  }

  /** The same in another namespace. */
  List<String> fill(String namespace) {
    List<String> full = names.nodes().stream().map(node -> "full-on-" + node).toList();
    for (String name : full) {
      pods(namespace).create(gatedUnlessReached(PodManifest.named(name)));
      pods(namespace).awaitUngated(name);
    }
    return full;
  }

  /** The class of urgent pods. */
  void createPriorityClass() {
    admin.put(
        PRIORITY_CLASSES,
        new ObjectMapper()
            .createObjectNode()
            .put("apiVersion", "scheduling.k8s.io/v1")
            .put("kind", "PriorityClass")
            .put("value", 100_000)
            .set(
                "metadata",
                new ObjectMapper().createObjectNode().put("name", names.priorityClass())));
  }

  Kube admin() {
    return admin;
  }

  Cluster cluster() {
    return cluster;
  }

  Names names() {
    return names;
  }

  Abilities abilities() {
    return abilities;
  }

  GpuNodes nodes() {
    return nodes;
  }

  DcgmMetrics metrics() {
    return metrics;
  }

  Release release() {
    return release;
  }

  WebhookCertificate certificate() {
    return certificate;
  }

  Replicas replicas() {
    return replicas;
  }

  /** Those of the namespace that is opted in. */
  Pods pods() {
    return pods(names.team());
  }

  Pods pods(String namespace) {
    return new Pods(admin, namespace);
  }

  Workloads workloads() {
    return workloads(names.team());
  }

  Workloads workloads(String namespace) {
    return new Workloads(admin, namespace, cluster.hasControllers());
  }

  /** The project. */
  Path root() {
    return root;
  }

  /** For whatever a test writes. */
  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    replicas.close();
    release.removeClusterWide(admin);
    admin.delete(PRIORITY_CLASSES + "/" + names.priorityClass());
    tearDown();
    kubelet.close();
    nodes.close();
    users().forEach(name -> admin.delete(NAMESPACES + "/" + name));
    admin.delete(NAMESPACES + "/" + names.system());
    replicas.closeServices();
    metrics.close();
    admin.close();
    cluster.close();
  }
}
