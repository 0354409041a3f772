package dev.cotenant.e2e;

import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Nodes with one GPU each, as a kubelet, a device plugin and GPU feature discovery would announce
 * them; ready for as long as this is open.
 */
final class GpuNodes implements AutoCloseable {
  private static final String NODES = "/api/v1/nodes";
  private static final String LEASES =
      "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
  private static final int HEARTBEAT_SECONDS = 10;

  private final Kube admin;
  private final Names names;
  private final ScheduledExecutorService heart =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("heartbeats").factory());

  GpuNodes(Kube admin, Names names) {
    this.admin = admin;
    this.names = names;
    for (String node : names.nodes()) {
      admin.create(NODES, node(node)).required();
      // The API server taints new nodes; a node controller takes that away when they are ready.
      admin.merge(NODES + "/" + node, "{\"spec\": {\"taints\": null}}").required();
    }
    beat();
    var _ =
        heart.scheduleWithFixedDelay(
            this::beat, HEARTBEAT_SECONDS, HEARTBEAT_SECONDS, TimeUnit.SECONDS);
  }

  private static String node(String name) {
    return """
    {"apiVersion": "v1", "kind": "Node",
     "metadata": {"name": "%s", "labels": {"kubernetes.io/hostname": "%s",
       "node.kubernetes.io/exclude-from-external-load-balancers": "true",
       "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB", "nvidia.com/gpu.count": "1"}}}
    """
        .formatted(name, name);
  }

  private void beat() {
    String now = Instant.now().truncatedTo(java.time.temporal.ChronoUnit.SECONDS).toString();
    for (String node : names.nodes()) {
      admin.merge(NODES + "/" + node + "/status", status(now));
      String lease = lease(node, now.replace("Z", ".000000Z"));
      if (admin.merge(LEASES + "/" + node, lease).code() == 404) {
        admin.create(LEASES, lease);
      }
    }
  }

  private static String status(String now) {
    return """
    {"status": {
       "capacity": {"cpu": "64", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": "1"},
       "allocatable": {"cpu": "64", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": "1"},
       "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady",
                       "message": "made up", "lastHeartbeatTime": "%s",
                       "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
    """
        .formatted(now);
  }

  private static String lease(String node, String now) {
    return """
    {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "%s"},
     "spec": {"holderIdentity": "%s", "leaseDurationSeconds": 40, "renewTime": "%s"}}
    """
        .formatted(node, node, now);
  }

  @Override
  public void close() {
    heart.shutdownNow();
    for (String node : names.nodes()) {
      admin.delete(NODES + "/" + node);
      admin.delete(LEASES + "/" + node);
    }
  }
}
