package dev.cotenant.placement;

import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.TrustDomain;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.interference.partition.PartitionGroup;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The neighbours of a newcomer on a GPU that is shared.
 *
 * @param namespaces of the tenants, each once
 * @param strictestSlowdown the least slowdown limit of a tenant, infinite where only unattributed
 *     usage is there; NaN where there is none
 * @param sharePercent of all tenants, where all are profiled services; NaN where not
 * @param partitions of all tenants, where all are profiled services and nothing else is there; null
 *     where not
 */
record Neighbours(
    List<String> namespaces,
    double strictestSlowdown,
    double sharePercent,
    @Nullable PartitionGroup partitions) {
  static final Neighbours NONE = new Neighbours(List.of(), Double.NaN, Double.NaN, null);

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
        tenants.stream().map(Tenant::namespace).distinct().toList(),
        strictest,
        PartitionCheck.sharePercent(tenants),
        unattributed ? null : PartitionCheck.group(tenants).orElse(null));
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
