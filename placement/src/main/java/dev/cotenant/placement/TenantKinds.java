package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.device.GpuProduct;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.quantity.Slowdown;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Kinds of tenants that are alike to the model of risk, and which of them a newcomer does not get
 * on with. Numbers of kinds stay the same while single GPUs change. Safe for use by several
 * threads.
 */
final class TenantKinds {
  /** Newcomers whose results are remembered. */
  private static final int MAX_NEWCOMERS = 512;

  private final IdentityHashMap<GpuProduct, Map<Key, Kind>> byProduct = new IdentityHashMap<>();
  private final Map<Key, Results> byNewcomer = new HashMap<>();
  private @Nullable Object state;
  private int count;

  /**
   * Tenants that are alike.
   *
   * @param number from 0
   * @param one of them
   */
  record Kind(int number, GpuProduct product, Tenant one) {}

  /** Workloads whose graph is known are alike in a namespace, others only to themselves. */
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

    static Key of(Newcomer newcomer) {
      GraphRun run = newcomer.prediction().run().orElse(null);
      return new Key(
          run == null ? newcomer.name() : newcomer.namespace(),
          run,
          newcomer.prediction().utilization().mean().percent(),
          newcomer.limits().slowdown(),
          newcomer.limits().risk());
    }
  }

  /** Whether a newcomer and each kind exceed a budget; 0 is unknown. */
  static final class Results {
    private volatile byte[] byKind = new byte[64];

    byte of(int kind) {
      byte[] known = byKind;
      return kind < known.length ? known[kind] : 0;
    }

    synchronized void put(int kind, byte result) {
      byte[] known = byKind;
      if (kind >= known.length) {
        known = Arrays.copyOf(known, 2 * kind);
      }
      known[kind] = result;
      byKind = known;
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

  /**
   * The results about a newcomer so far.
   *
   * @param now {@link RiskCheck#state}; other results are forgotten when it changes
   */
  @SuppressWarnings("ReferenceEquality") // a state is an identity
  synchronized Results results(Newcomer newcomer, Object now) {
    if (now != state || byNewcomer.size() > MAX_NEWCOMERS) {
      state = now;
      byNewcomer.clear();
    }
    return byNewcomer.computeIfAbsent(Key.of(newcomer), _ -> new Results());
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
