package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The synthetic nodes of the cluster; ready while this is open. */
final class GpuNodes implements AutoCloseable {
  private static final String NODES = "/api/v1/nodes";
  private static final String LEASES =
      "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
  private static final int HEARTBEAT_SECONDS = 10;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Kube admin;
  private final Map<String, GpuNode> nodes = new ConcurrentSkipListMap<>();
  private final ScheduledExecutorService heart =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("heartbeats").factory());

  GpuNodes(Kube admin) {
    this.admin = admin;
    var _ =
        heart.scheduleWithFixedDelay(
            this::beat, HEARTBEAT_SECONDS, HEARTBEAT_SECONDS, TimeUnit.SECONDS);
  }

  /** Makes these the only nodes; a node that is there in the same shape stays. */
  synchronized void set(List<GpuNode> wanted) {
    nodes.values().stream()
        .filter(node -> !wanted.contains(node) || isCordoned(node.name()))
        .map(GpuNode::name)
        .forEach(this::delete);
    wanted.stream().filter(node -> !nodes.containsKey(node.name())).forEach(this::add);
  }

  private boolean isCordoned(String name) {
    return admin.get(path(name)).body().at("/spec/unschedulable").asBoolean();
  }

  private void add(GpuNode node) {
    ObjectNode object = MAPPER.createObjectNode();
    object.put("apiVersion", "v1").put("kind", "Node");
    ObjectNode metadata = object.putObject("metadata").put("name", node.name());
    metadata.set("labels", MAPPER.valueToTree(node.allLabels()));
    admin.create(NODES, object.toString()).required();
    // The API server taints new nodes; a node controller removes the taint when they are ready.
    admin.merge(path(node.name()), "{\"spec\": {\"taints\": null}}").required();
    beat(node);
    nodes.put(node.name(), node);
  }

  /** Deletes a node as a cloud provider does: its pods stay for the pod garbage collector. */
  synchronized void delete(String name) {
    nodes.remove(name);
    admin.delete(path(name));
    admin.delete(LEASES + "/" + name);
  }

  /** As {@code kubectl cordon}. */
  void cordon(String name) {
    admin.merge(path(name), "{\"spec\": {\"unschedulable\": true}}").required();
  }

  List<GpuNode> all() {
    return List.copyOf(nodes.values());
  }

  Optional<GpuNode> find(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  private synchronized void beat() {
    try {
      nodes.values().forEach(this::beat);
    } catch (UncheckedIOException e) {
      System.err.println("[e2e] a heartbeat of the nodes failed: " + e); // the next one comes
    }
  }

  private void beat(GpuNode node) {
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    admin.merge(path(node.name()) + "/status", status(node, now).toString());
    String lease = lease(node.name(), now.replace("Z", ".000000Z"));
    if (admin.merge(LEASES + "/" + node.name(), lease).code() == 404) {
      admin.create(LEASES, lease);
    }
  }

  private static ObjectNode status(GpuNode node, String now) {
    ObjectNode root = MAPPER.createObjectNode();
    ObjectNode status = root.putObject("status");
    status.set("capacity", MAPPER.valueToTree(node.allAllocatable()));
    status.set("allocatable", MAPPER.valueToTree(node.allAllocatable()));
    status
        .putArray("conditions")
        .addObject()
        .put("type", "Ready")
        .put("status", "True")
        .put("reason", "KubeletReady")
        .put("message", "synthetic")
        .put("lastHeartbeatTime", now)
        .put("lastTransitionTime", "2026-01-01T00:00:00Z");
    return root;
  }

  private static String lease(String node, String now) {
    return """
    {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "%s"},
     "spec": {"holderIdentity": "%s", "leaseDurationSeconds": 40, "renewTime": "%s"}}
    """
        .formatted(node, node, now);
  }

  private static String path(String name) {
    return NODES + "/" + name;
  }

  @Override
  public void close() {
    heart.shutdownNow();
    all().stream().map(GpuNode::name).forEach(this::delete);
  }
}
