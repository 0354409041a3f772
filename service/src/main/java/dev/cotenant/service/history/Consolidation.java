package dev.cotenant.service.history;

import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.placement.SharingDecider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Pods that each have a GPU without neighbours and would be admitted to one: by their grants, under
 * the policy limits of the moving pod.
 */
public final class Consolidation {
  /** As many as people look at. */
  static final int MAX_PAIRS = 5;

  /** Each costs some ten microseconds, and the search comes once a second. */
  private static final int MAX_DECISIONS = 400;

  private static final int PARTNERS = 8;

  private final SharingDecider decider;
  private final Supplier<Policies> policies;

  public Consolidation(SharingDecider decider, Supplier<Policies> policies) {
    this.decider = decider;
    this.policies = policies;
  }

  /**
   * Two pods for one GPU.
   *
   * @param moves the pod that would move to the GPU
   * @param stays the pod that is joined
   * @param gpu uuid of the GPU that is joined
   * @param grantedPercent utilization granted to both
   */
  public record Pair(
      String moves, String stays, String gpu, String device, double grantedPercent) {}

  /** Someone alone on a GPU. */
  private record Single(GpuSnapshot gpu, Tenant tenant) {
    double percent() {
      return tenant.utilization().upper().percent();
    }
  }

  /**
   * At most five pairs, the pods with the least utilization first; each pod is in one.
   *
   * <p>Of the products each pod is decided about on the GPUs of the least used others, so that the
   * search is bounded however large the cluster is.
   */
  public List<Pair> pairs(ClusterSnapshot cluster) {
    Search search = new Search(cluster);
    Collection<List<Single>> products =
        singles(cluster).stream()
            .collect(Collectors.groupingBy(one -> one.gpu.device().id()))
            .values();
    for (List<Single> product : products) {
      search.among(product);
    }
    return search.found.stream()
        .sorted(Comparator.comparingDouble(Pair::grantedPercent).thenComparing(Pair::moves))
        .limit(MAX_PAIRS)
        .toList();
  }

  private static List<Single> singles(ClusterSnapshot cluster) {
    List<Single> singles = new ArrayList<>();
    for (GpuSnapshot gpu : cluster.gpus()) {
      if (gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants) && tenants.size() == 1) {
        singles.add(new Single(gpu, tenants.getFirst()));
      }
    }
    singles.sort(Comparator.comparingDouble(Single::percent).thenComparing(one -> one.gpu.uuid()));
    return singles;
  }

  private final class Search {
    private final ClusterSnapshot cluster;
    private final List<Pair> found = new ArrayList<>();
    private final Set<String> taken = new HashSet<>();
    private int decisions;

    Search(ClusterSnapshot cluster) {
      this.cluster = cluster;
    }

    void among(List<Single> product) {
      int pairs = 0;
      for (Single one : product) {
        if (pairs == MAX_PAIRS || decisions >= MAX_DECISIONS) {
          return;
        }
        pairs += taken.contains(one.gpu.uuid()) || !join(one, product) ? 0 : 1;
      }
    }

    private boolean join(Single one, List<Single> product) {
      int tried = 0;
      for (Single other : product) {
        if (other.gpu.uuid().equals(one.gpu.uuid()) || taken.contains(other.gpu.uuid())) {
          continue;
        }
        if (tried++ == PARTNERS) {
          return false;
        }
        decisions++;
        if (isAdmitted(one, other.gpu)) {
          taken.addAll(List.of(one.gpu.uuid(), other.gpu.uuid()));
          found.add(pair(one, other));
          return true;
        }
      }
      return false;
    }

    private boolean isAdmitted(Single one, GpuSnapshot gpu) {
      return decider.decide(cluster.part(List.of(gpu)), request(one)) instanceof Decision.Admitted;
    }
  }

  private static Pair pair(Single one, Single other) {
    return new Pair(
        one.tenant.name(),
        other.tenant.name(),
        other.gpu.uuid(),
        other.gpu.device().id().value(),
        one.percent() + other.percent());
  }

  /** A share for a tenant, as it was predicted when it was granted. */
  private PlacementRequest request(Single one) {
    Tenant tenant = one.tenant;
    DeviceId device = one.gpu.device().id();
    String namespace = namespace(tenant.name());
    @Nullable GraphRun run = tenant.run();
    Prediction granted =
        run == null
            ? prediction(tenant, device, 1, RunSettings.DEFAULT)
            : prediction(tenant, device, run.batchSize(), run.settings()).withWork(run.work());
    return new PlacementRequest.Share(
        tenant.name(),
        Map.of(device, granted.withPartition(tenant.partition())),
        policies.get().of(namespace).limits(),
        policies.get().trustDomain(namespace));
  }

  private static Prediction prediction(
      Tenant tenant, DeviceId device, int batchSize, RunSettings settings) {
    return new Prediction(
        device, batchSize, settings, tenant.utilization(), tenant.peakMemory(), "", List.of());
  }

  private static String namespace(String name) {
    return name.substring(0, Math.max(0, name.indexOf('/')));
  }
}
