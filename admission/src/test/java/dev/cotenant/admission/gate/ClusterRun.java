package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.NodeDecisions;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** One random cluster with the gate and a scheduler: at even seeds one that calls the extender. */
final class ClusterRun {
  /** More skips than there are pods: no GPU stays idle for a blocked pod. */
  private static final int NO_RESERVATION = 1_000;

  private final RandomCluster cluster;
  private final GateBench bench;
  private final Random random;
  private final boolean extender;

  ClusterRun(int seed) {
    cluster = new RandomCluster(seed);
    random = new Random(seed);
    extender = seed % 2 == 0;
    bench = new GateBench(new FakeGpus(cluster.nodes));
    Policy policy =
        extender
            ? TestPolicies.placedBy(FakeScheduler.NAME)
                .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.VISIBLE_DEVICES)
            : Policy.DEFAULT.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.HAMI);
    bench.policy =
        policy.with(copy -> copy.queue = TestPolicies.queue(NO_RESERVATION, Policy.Fallback.HOLD));
    bench.lead();
  }

  /** Creates pods one by one; the scheduler runs after each. */
  void fill(int pods) {
    for (int i = 0; i < pods; i++) {
      StoredPod pod = cluster.pod(bench);
      pod.gates.add(WatchedPod.GATE);
      if (extender) {
        pod.schedulerName = FakeScheduler.NAME;
      }
      bench.server.create(pod);
      bench.settle();
      schedule();
    }
    rest();
  }

  /** A quarter of the pods end, and others take their place. */
  void removeSome() {
    for (StoredPod pod : List.copyOf(bench.server.pods.values())) {
      if (pod.node != null && random.nextInt(4) == 0) {
        bench.remove(pod);
      }
    }
    rest();
  }

  /** Until refused nominations have lapsed and nothing more is placed. */
  private void rest() {
    for (int i = 0; i < 6; i++) {
      bench.later(Duration.ofSeconds(20));
      schedule();
    }
  }

  int running() {
    return (int) bench.server.pods.values().stream().filter(pod -> pod.node != null).count();
  }

  private void schedule() {
    for (StoredPod pod : List.copyOf(bench.server.pods.values())) {
      if (pod.gates.isEmpty() && pod.node == null) {
        List<String> feasible = filters().feasible(pod).stream().map(WatchedNode::name).toList();
        if (extender) {
          place(pod, feasible);
        } else {
          bindAsGranted(pod, feasible);
        }
      }
    }
  }

  private ReferenceFilters filters() {
    return new ReferenceFilters(bench.gpus.nodes(), bench.server.pods.values());
  }

  private void bindAsGranted(StoredPod pod, List<String> feasible) {
    assertThat(feasible)
        .as("nodes for %s", pod.identity)
        .containsExactly(pod.annotation(CotenantAnnotations.ASSIGNED_NODE));
    bench.start(pod);
  }

  private void place(StoredPod pod, List<String> feasible) {
    List<String> passed = new ArrayList<>();
    if (bench.controller().decide(pod.uid, feasible).orElseThrow()
        instanceof NodeDecisions.Each(var each)) {
      each.forEach((node, decided) -> {
        if (decided.decision() instanceof Decision.Admitted) {
          passed.add(node);
        }
      });
    }
    if (passed.isEmpty()) {
      if (pod.unschedulable == null) {
        pod.unschedulable = new WatchedPod.Unschedulable(bench.now, "0 nodes are available", null);
        bench.change(pod);
      }
      return;
    }
    var _ =
        bench
            .controller()
            .bind(pod.identity, pod.uid, passed.get(random.nextInt(passed.size())))
            .orElseThrow();
    bench.settle();
    if (pod.node != null) {
      pod.startedAt = bench.now;
      pod.phase = WatchedPod.Phase.RUNNING;
      bench.change(pod);
    }
  }

  /** No GPU has more than the limits allow, and no pod waits beside idle GPUs that suit it. */
  void verify() {
    Map<String, List<StoredPod>> tenants = tenants();
    tenants.forEach(ClusterRun::verifyLimits);
    for (StoredPod pod : bench.server.pods.values()) {
      if (pod.node == null) {
        for (WatchedNode node : filters().feasible(pod)) {
          long idle =
              cluster.nodes.stream()
                  .filter(one -> one.name().equals(node.name()))
                  .flatMap(one -> one.uuids().stream())
                  .filter(gpu -> !tenants.containsKey(gpu))
                  .count();
          assertThat(idle)
              .as(() ->
                  "idle GPUs of %s, for which %s waits: %s"
                      .formatted(node.name(), pod.identity, why(pod, node.name())))
              .isLessThan(((Colocatable) pod.request).gpu().gpus());
        }
      }
    }
  }

  private String why(StoredPod pod, String node) {
    return "gates "
        + pod.gates
        + ", "
        + bench.reasons(pod).stream()
            .map(Reason::sentence)
            .filter(sentence -> sentence.contains(node))
            .toList();
  }

  /** Bound pods by GPU. */
  private Map<String, List<StoredPod>> tenants() {
    Map<String, List<StoredPod>> byGpu = new HashMap<>();
    for (StoredPod pod : bench.server.pods.values()) {
      if (pod.node != null) {
        for (String gpu : pod.annotation(CotenantAnnotations.ASSIGNED_GPU).split(",", -1)) {
          byGpu.computeIfAbsent(gpu, _ -> new ArrayList<>()).add(pod);
        }
      }
    }
    return byGpu;
  }

  private static void verifyLimits(String gpu, List<StoredPod> tenants) {
    SharingLimits limits = SharingLimits.DEFAULT;
    if (tenants.stream().anyMatch(Grants::isWhole)) {
      assertThat(tenants).as("pods on %s, one of which has it whole", gpu).hasSize(1);
      return;
    }
    assertThat(tenants).as("pods on %s", gpu).hasSizeLessThanOrEqualTo(limits.tenants());
    assertThat(sum(tenants, CotenantAnnotations.PREDICTED_UTILIZATION))
        .as("summed utilization of %s", gpu)
        .isLessThanOrEqualTo(limits.summedUtilization().percent() + 0.1 * tenants.size());
  }

  private static double sum(List<StoredPod> tenants, String annotation) {
    return tenants.stream()
        .mapToDouble(pod -> Double.parseDouble(pod.annotation(annotation)))
        .sum();
  }
}
