package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whenever a leader has granted a trial, no more of the tenants that it knows in that namespace are
 * in one than the policy allows.
 */
final class ExplorationShares {
  private final double most;
  private final Map<Replica, GateView> last = new HashMap<>();

  /** In the leader's term, those whose GPU is out of sight at the moment included. */
  private final Map<Replica, Set<String>> known = new HashMap<>();

  /** Trials whose share was checked. */
  int checked;

  ExplorationShares(double most) {
    this.most = most;
  }

  /**
   * Called after each step; what a leader takes over from earlier ones is no grant of its own.
   *
   * @param leads whether it holds the Lease; another one sees what the leader grants
   */
  @SuppressWarnings("ReferenceEquality") // whether it is the same view, not one like it
  void verify(Replica replica, boolean leads) {
    GateView view = replica.controller.view();
    GateView before = last.put(replica, view);
    if (before == view) {
      return;
    }
    if (!leads || before == null || before.term() != view.term() || !before.isReady()) {
      known.put(replica, trials(view).map(Tenant::name).collect(Collectors.toSet()));
      return;
    }
    Set<String> granted = known.computeIfAbsent(replica, _ -> new HashSet<>());
    trials(view)
        .filter(tenant -> granted.add(tenant.name()))
        .map(Tenant::namespace)
        .distinct()
        .toList()
        .forEach(namespace -> verify(namespace, before, view));
  }

  /**
   * Tenants that ended in the same step may have been there when the trial was granted; of one name
   * there may be several.
   */
  private void verify(String namespace, GateView before, GateView view) {
    checked++;
    List<Tenant> all = tenants(view, namespace);
    List<String> names = all.stream().map(Tenant::name).collect(Collectors.toList());
    long ended =
        tenants(before, namespace).stream().filter(one -> !names.remove(one.name())).count();
    long inTrial = all.stream().filter(tenant -> tenant.risk().exploration().isOne()).count();
    assertThat((double) inTrial)
        .as(
            "trials among %s of namespace %s",
            all.stream().map(Tenant::name).collect(Collectors.joining(", ")), namespace)
        .isLessThanOrEqualTo(most * (all.size() + ended));
  }

  private static List<Tenant> tenants(GateView view, String namespace) {
    return tenants(view).filter(tenant -> tenant.namespace().equals(namespace)).toList();
  }

  private static Stream<Tenant> trials(GateView view) {
    return tenants(view).filter(tenant -> tenant.risk().exploration().isOne());
  }

  private static Stream<Tenant> tenants(GateView view) {
    return view.cluster().gpus().stream()
        .map(GpuSnapshot::tenancy)
        .flatMap(tenancy ->
            tenancy instanceof Tenancy.Shared(List<Tenant> tenants)
                ? tenants.stream()
                : Stream.of());
  }
}
