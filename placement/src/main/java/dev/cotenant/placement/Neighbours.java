package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.TrustDomain;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.interference.GraphUsage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The neighbours of a newcomer on a GPU that is shared.
 *
 * @param tenants how many have a grant
 * @param namespaces of the tenants, each once
 * @param graphs of how many tenants the graph is known
 * @param strictestSlowdown the least that any tenant was promised, infinite where only unattributed
 *     usage is there; NaN where there is none
 * @param sharePercent of the partitions of all, where they are profiled services; NaN where not
 * @param only usage of the only neighbour, where it is a tenant whose graph is known; else null
 */
record Neighbours(
    int tenants,
    List<String> namespaces,
    int graphs,
    double strictestSlowdown,
    double sharePercent,
    @Nullable GraphUsage only) {
  static final Neighbours NONE = new Neighbours(0, List.of(), 0, Double.NaN, Double.NaN, null);

  static Neighbours of(GpuSnapshot gpu, List<Tenant> tenants, Utilization unattributedUsage) {
    boolean unattributed = !unattributedUsage.equals(Utilization.IDLE);
    if (tenants.isEmpty() && !unattributed) {
      return NONE;
    }
    int graphs = 0;
    double strictest = Double.POSITIVE_INFINITY;
    for (Tenant tenant : tenants) {
      graphs += tenant.run() == null ? 0 : 1;
      strictest = Math.min(strictest, tenant.slowdownLimit().ratio());
    }
    boolean one = tenants.size() == 1 && !unattributed;
    return new Neighbours(
        tenants.size(),
        tenants.stream().map(Tenant::namespace).distinct().toList(),
        graphs,
        strictest,
        unattributed ? Double.NaN : PartitionCheck.sharePercent(tenants),
        one ? usage(gpu, tenants.getFirst()) : null);
  }

  private static @Nullable GraphUsage usage(GpuSnapshot gpu, Tenant tenant) {
    GraphRun run = tenant.run();
    return run != null && gpu.device() instanceof Device device
        ? GraphUsage.of(run, device, tenant.utilization().upper().percent())
        : null;
  }

  boolean areWithin(TrustDomain trust) {
    for (String namespace : namespaces) {
      if (!trust.includes(namespace)) {
        return false;
      }
    }
    return true;
  }

  boolean isEmpty() {
    return Double.isNaN(strictestSlowdown);
  }
}
