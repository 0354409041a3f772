package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How many tenants each namespace has on shared GPUs, and how many of them came in a trial. */
final class ExplorationCounts {
  private final Map<String, Count> byNamespace;

  private record Count(int tenants, int trials) {
    static final Count NONE = new Count(0, 0);

    Count plus(int times, Tenant tenant) {
      return new Count(tenants + times, trials + (tenant.risk().exploration().isOne() ? times : 0));
    }
  }

  private ExplorationCounts(Map<String, Count> byNamespace) {
    this.byNamespace = byNamespace;
  }

  static ExplorationCounts of(Iterable<GpuSnapshot> gpus) {
    ExplorationCounts counts = new ExplorationCounts(new HashMap<>());
    gpus.forEach(gpu -> counts.add(1, gpu));
    return counts;
  }

  /** Copy with a changed GPU. */
  ExplorationCounts with(GpuSnapshot before, GpuSnapshot after) {
    ExplorationCounts counts = new ExplorationCounts(new HashMap<>(byNamespace));
    counts.add(-1, before);
    counts.add(1, after);
    return counts;
  }

  private void add(int times, GpuSnapshot gpu) {
    if (gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants)) {
      for (Tenant tenant : tenants) {
        byNamespace.merge(
            tenant.namespace(),
            Count.NONE.plus(times, tenant),
            (count, _) -> count.plus(times, tenant));
      }
    }
  }

  /** Whether one more tenant of a namespace may come in a trial. */
  boolean allow(String namespace, double share) {
    Count count = byNamespace.getOrDefault(namespace, Count.NONE);
    return count.trials + 1 <= share * (count.tenants + 1);
  }
}
