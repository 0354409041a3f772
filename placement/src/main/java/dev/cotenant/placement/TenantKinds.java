package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.device.GpuProduct;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.quantity.Slowdown;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Kinds of tenants that are alike to the model of risk, so that a decision looks at each kind once.
 * Numbers stay the same while single GPUs change. Safe for use by several threads.
 */
final class TenantKinds {
  private final IdentityHashMap<GpuProduct, Map<Key, Kind>> byProduct = new IdentityHashMap<>();
  private int count;

  /**
   * Tenants that are alike.
   *
   * @param number from 0
   * @param one of them
   */
  record Kind(int number, GpuProduct product, Tenant one) {}

  /** Tenants whose graph is known are alike in a namespace, others only to themselves. */
  private record Key(
      String identity, @Nullable GraphRun run, double percent, Slowdown limit, RiskLimit risk) {
    static Key of(Tenant tenant) {
      return new Key(
          tenant.run() == null ? tenant.name() : tenant.namespace(),
          tenant.run(),
          tenant.utilization().mean().percent(),
          tenant.slowdownLimit(),
          tenant.risk());
    }
  }

  /** The kinds of the tenants of one GPU, found when they are first needed. */
  static final class OfGpu {
    private volatile @Nullable List<Kind> kinds;

    List<Kind> get(TenantKinds all, GpuSnapshot gpu) {
      List<Kind> known = kinds;
      if (known == null) {
        known = all.of(gpu);
        kinds = known;
      }
      return known;
    }
  }

  private synchronized List<Kind> of(GpuSnapshot gpu) {
    return gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants)
        ? tenants.stream().map(tenant -> of(gpu.device(), tenant)).toList()
        : List.of();
  }

  private Kind of(GpuProduct product, Tenant tenant) {
    return byProduct
        .computeIfAbsent(product, _ -> new HashMap<>())
        .computeIfAbsent(Key.of(tenant), _ -> new Kind(count++, product, tenant));
  }
}
