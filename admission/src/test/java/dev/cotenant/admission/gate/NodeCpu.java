package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.PodTopology;
import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/** The cores of the nodes, and which pods take them; a scheduler with the extender ignores them. */
final class NodeCpu {
  static final ResourceAmounts ALLOCATABLE =
      ResourceAmounts.of(Map.of(ResourceAmounts.CPU, 2_500L));

  private NodeCpu() {}

  /** Every third pod takes a core and a half, the others half a core. */
  static Footprint footprint(int pod) {
    long millicores = pod % 3 == 0 ? 1_500 : 500;
    return new Footprint(
        ResourceAmounts.of(Map.of(ResourceAmounts.CPU, millicores)),
        List.of(),
        Map.of(),
        PodTopology.NONE,
        Set.of());
  }

  /** The gate has granted no node more pods than it has cores for. */
  static void verify(Iterable<StoredPod> pods) {
    Map<String, Long> granted = new HashMap<>();
    for (StoredPod pod : pods) {
      String node = pod.annotations.get(CotenantAnnotations.ASSIGNED_NODE);
      boolean byGate = !pod.schedulerName.equals(FakeScheduler.NAME);
      if (node != null && byGate && pod.isLive() && !pod.gates.contains(WatchedPod.GATE)) {
        granted.merge(node, millicores(pod), Long::sum);
      }
    }
    granted.forEach((node, millicores) ->
        assertThat(millicores)
            .as("cores granted on %s", node)
            .isLessThanOrEqualTo(ALLOCATABLE.of(ResourceAmounts.CPU)));
  }

  /**
   * Whether a node has cores for a pod.
   *
   * @param holds uids of gated pods that capacity of the node is held for
   */
  static boolean fits(StoredPod pod, String node, Iterable<StoredPod> pods, Set<String> holds) {
    long taken = 0;
    for (StoredPod other : pods) {
      boolean isHeld = holds.contains(other.uid) && !other.uid.equals(pod.uid);
      taken += isHeld || isOn(node).test(other) ? millicores(other) : 0;
    }
    return taken + millicores(pod) <= ALLOCATABLE.of(ResourceAmounts.CPU);
  }

  private static Predicate<StoredPod> isOn(String node) {
    return pod ->
        pod.isLive()
            && node.equals(
                Objects.requireNonNullElse(
                    pod.node,
                    pod.gates.contains(WatchedPod.GATE)
                        ? ""
                        : pod.annotations.getOrDefault(CotenantAnnotations.ASSIGNED_NODE, "")));
  }

  private static long millicores(StoredPod pod) {
    return pod.footprint.requests().of(ResourceAmounts.CPU);
  }
}
