package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.NodeDecisions;
import dev.cotenant.domain.decision.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A scheduler that places pods through the extender. */
final class FakeScheduler {
  static final String NAME = "cotenant-scheduler";
  private static final List<String> NODES = List.of("n1", "n2", "n3");

  private final World world;

  FakeScheduler(World world) {
    this.world = world;
  }

  /** Whether it has to bind a pod. */
  static boolean isPending(StoredPod pod) {
    return pod.schedulerName.equals(NAME)
        && pod.gates.isEmpty()
        && pod.node == null
        && pod.isLive()
        && !pod.terminating;
  }

  /**
   * Places some pods by any replica that trusts to lead, on nodes that its own filters pass: mostly
   * one, for which they compete.
   */
  void place() {
    List<Replica> leading = world.replicas.stream().filter(one -> one.term != 0).toList();
    if (leading.isEmpty()) {
      return;
    }
    GateController controller = world.pick(leading).controller;
    List<String> passed = world.random.nextInt(4) == 0 ? NODES : List.of(world.pick(NODES));
    for (int i = 0; i < 3; i++) {
      StoredPod pod = world.any(FakeScheduler::isPending);
      if (pod != null) {
        List<String> nodes = new ArrayList<>(nodes(pod));
        nodes.retainAll(passed);
        place(pod, controller, nodes);
      }
    }
  }

  /** Places all pods by the leader. */
  void placeAll() {
    for (StoredPod pod : List.copyOf(world.server.pods.values())) {
      if (isPending(pod)) {
        place(pod, world.leader().controller, nodes(pod));
      }
    }
  }

  private static List<String> nodes(StoredPod pod) {
    String only =
        pod.nodeSelector.getOrDefault(
            "kubernetes.io/hostname",
            pod.requirements.labels().getOrDefault("kubernetes.io/hostname", ""));
    return only.isEmpty() ? NODES : List.of(only);
  }

  private void place(StoredPod pod, GateController controller, List<String> nodes) {
    List<String> feasible =
        switch (controller.decide(pod.uid, nodes).orElse(new NodeDecisions.UnknownPod())) {
          case NodeDecisions.UnknownPod _ -> List.of();
          case NodeDecisions.Unmanaged _ -> nodes;
          case NodeDecisions.Granted(String node) ->
              nodes.contains(node) ? List.of(node) : List.of();
          case NodeDecisions.Each(Map<String, NodeDecisions.NodeDecision> each) ->
              each.entrySet().stream()
                  .filter(one -> one.getValue().decision() instanceof Decision.Admitted)
                  .map(Map.Entry::getKey)
                  .toList();
        };
    if (feasible.isEmpty() && pod.unschedulable == null) {
      pod.unschedulable = new WatchedPod.Unschedulable(world.now, "0/3 nodes are available", null);
      world.server.changed(pod);
    } else if (!feasible.isEmpty()) {
      var _ =
          controller
              .bind(pod.identity, pod.uid, world.pick(feasible))
              .orElseGet(CompletableFuture::new);
    }
  }
}
