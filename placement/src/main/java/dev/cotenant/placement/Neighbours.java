package dev.cotenant.placement;

import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.TrustDomain;
import dev.cotenant.domain.quantity.Utilization;
import java.util.List;

/**
 * The neighbours of a newcomer on a GPU that is shared.
 *
 * @param tenants how many have a grant
 * @param namespaces of the tenants, each once
 * @param strictestSlowdown the least that any tenant was promised, infinite where only unattributed
 *     usage is there; NaN where there is none
 * @param sharePercent of the partitions of all, where they are profiled services; NaN where not
 */
record Neighbours(
    int tenants, List<String> namespaces, double strictestSlowdown, double sharePercent) {
  static final Neighbours NONE = new Neighbours(0, List.of(), Double.NaN, Double.NaN);

  static Neighbours of(List<Tenant> tenants, Utilization unattributedUsage) {
    boolean unattributed = !unattributedUsage.equals(Utilization.IDLE);
    if (tenants.isEmpty() && !unattributed) {
      return NONE;
    }
    double strictest = Double.POSITIVE_INFINITY;
    for (Tenant tenant : tenants) {
      strictest = Math.min(strictest, tenant.slowdownLimit().ratio());
    }
    return new Neighbours(
        tenants.size(),
        tenants.stream().map(Tenant::namespace).distinct().toList(),
        strictest,
        unattributed ? Double.NaN : PartitionCheck.sharePercent(tenants));
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
