package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.device.GpuProduct;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.placement.RiskCheck.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Kinds of tenants that are alike to the models of risk but for the slowdown limit of each, by
 * number. Numbers outlive snapshots and what is learned. Safe for use by several threads.
 */
final class RiskKinds {
  /** When there are more, all are numbered anew. */
  private static final int MAX_KINDS = 1 << 17;

  private final RiskCheck check;
  private Numbering numbering = new Numbering();
  private @Nullable RiskGroups groups;

  RiskKinds(RiskCheck check) {
    this.check = check;
  }

  /** All kinds so far; an identity. */
  final class Numbering {
    private final IdentityHashMap<GpuProduct, OnProduct> products = new IdentityHashMap<>();
    private final List<Kind> kinds = new ArrayList<>();

    int size() {
      return kinds.size();
    }

    Kind kind(int number) {
      return kinds.get(number);
    }

    private int number(GpuProduct product, Tenant tenant) {
      OnProduct known =
          products.computeIfAbsent(product, _ -> new OnProduct(products.size(), new HashMap<>()));
      return known.numbers.computeIfAbsent(
          Key.of(tenant),
          _ -> {
            kinds.add(new Kind(known.product, product, check.member(product, tenant)));
            return kinds.size() - 1;
          });
    }
  }

  private record OnProduct(int product, Map<Key, Integer> numbers) {}

  /**
   * Tenants that are alike.
   *
   * @param number of the product
   * @param one of them
   */
  record Kind(int number, GpuProduct product, Member one) {}

  /** Workloads whose graph is known are alike in a namespace, others only to themselves. */
  record Key(String identity, @Nullable GraphRun run, double percent, RiskLimit risk) {
    private static Key of(Tenant tenant) {
      return of(
          tenant.run() == null ? tenant.name() : tenant.namespace(),
          tenant.run(),
          tenant.utilization().mean().percent(),
          tenant.risk());
    }

    static Key of(Newcomer newcomer) {
      GraphRun run = newcomer.prediction().run().orElse(null);
      return of(
          run == null ? newcomer.name() : newcomer.namespace(),
          run,
          newcomer.prediction().utilization().mean().percent(),
          newcomer.limits().risk());
    }

    private static Key of(String identity, @Nullable GraphRun run, double percent, RiskLimit risk) {
      return new Key(identity, run == null ? null : run.withoutMeasuredLoad(), percent, risk);
    }
  }

  /** The tenants of one GPU: the kind of each, and the logarithm of its slowdown limit. */
  static final class Numbers {
    private final Numbering numbering;
    private final int[] kinds;
    private final float[] limits;

    private Numbers(Numbering numbering, int[] kinds, float[] limits) {
      this.numbering = numbering;
      this.kinds = kinds;
      this.limits = limits;
    }

    int[] kinds() {
      return kinds;
    }

    float[] limits() {
      return limits;
    }
  }

  /** The numbers of the tenants of one GPU, found when they are first needed. */
  static final class OfGpu {
    private volatile @Nullable Numbers numbers;

    Numbers get(RiskKinds all, Numbering numbering, GpuSnapshot gpu) {
      Numbers known = numbers;
      if (known == null || known.numbering != numbering) {
        known = all.numbers(numbering, gpu);
        numbers = known;
      }
      return known;
    }
  }

  /** The numbering that holds now. */
  synchronized Numbering numbering() {
    if (numbering.size() > MAX_KINDS) {
      numbering = new Numbering();
    }
    return numbering;
  }

  private synchronized Numbers numbers(Numbering by, GpuSnapshot gpu) {
    if (!(gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants))) {
      return new Numbers(by, new int[0], new float[0]);
    }
    int[] kinds = new int[tenants.size()];
    float[] limits = new float[tenants.size()];
    for (int i = 0; i < kinds.length; i++) {
      Tenant tenant = tenants.get(i);
      kinds[i] = by.number(gpu.device(), tenant);
      limits[i] = (float) Math.log(tenant.slowdownLimit().ratio());
    }
    return new Numbers(by, kinds, limits);
  }

  /** Groups of all kinds of a numbering under the current risk models. */
  @SuppressWarnings("ReferenceEquality") // states and numberings are identities
  synchronized RiskGroups groups(Numbering by) {
    RiskGroups known = groups;
    if (known == null || known.state() != check.state() || known.numbering() != by) {
      known = new RiskGroups(check, check.state(), by);
      groups = known;
    }
    return known;
  }
}
