package dev.cotenant.service.chargeback;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.service.chargeback.GpuShare.Part;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Divides the memory of each GPU among its tenants, so that all parts add up to the whole.
 *
 * <p>A tenant's part is the maximum of its used, granted and requested memory. What a GPU uses is
 * known of the GPU alone, not of a process: several tenants share it in proportion to their bounds,
 * and without a tenant it is nobody's. Where tenants have more than the GPU, all their parts shrink
 * in proportion; the rest of the GPU is idle.
 */
final class GpuShares {
  /** Bytes of one tenant. */
  private record Claim(String tenant, double used, double bound, double requested) {
    double most() {
      return Math.max(used, Math.max(bound, requested));
    }
  }

  private final Map<String, Holding> held = new HashMap<>();

  private GpuShares(GateView view) {
    view.granted().forEach((pod, holding) -> held.put(pod.toString(), holding));
  }

  /** The parts of all GPUs; none where this process does not lead. */
  static List<GpuShare> of(GateView view) {
    GpuShares shares = new GpuShares(view);
    List<GpuShare> all = new ArrayList<>();
    view.cluster().gpus().forEach(gpu -> shares.add(gpu, all));
    return all;
  }

  private void add(GpuSnapshot gpu, List<GpuShare> all) {
    double capacity = gpu.capacity().bytes();
    double used = Math.min(capacity, used(gpu.memory()));
    List<Claim> claims = claims(gpu, used, capacity);
    double taken = claims.stream().mapToDouble(Claim::most).sum();
    double whole = Math.max(capacity, taken);
    for (Claim claim : claims) {
      double bound = Math.max(claim.used, claim.bound);
      add(gpu, claim.tenant, Part.USED, claim.used / whole, all);
      add(gpu, claim.tenant, Part.BOUNDED, (bound - claim.used) / whole, all);
      add(gpu, claim.tenant, Part.REQUESTED, (claim.most() - bound) / whole, all);
    }
    add(gpu, "", Part.IDLE, (whole - taken) / whole, all);
  }

  private static double used(MemoryObservation memory) {
    return switch (memory) {
      case MemoryObservation.Measured measured -> measured.lastUsed().bytes();
      case MemoryObservation.Stale _, MemoryObservation.Unmeasured _ -> 0;
    };
  }

  private List<Claim> claims(GpuSnapshot gpu, double used, double capacity) {
    return switch (gpu.tenancy()) {
      case Tenancy.Shared(List<Tenant> tenants) when !tenants.isEmpty() ->
          shared(tenants, gpu, used);
      case Tenancy.Exclusive(String holder) ->
          List.of(new Claim(holder, used, bound(holder, gpu.uuid()), capacity));
      case Tenancy.Shared _, Tenancy.Mig _ -> List.of(new Claim("", used, 0, 0));
    };
  }

  private List<Claim> shared(List<Tenant> tenants, GpuSnapshot gpu, double used) {
    double bounds = tenants.stream().mapToDouble(GpuShares::bound).sum();
    return tenants.stream()
        .map(tenant -> {
          double share = bounds > 0 ? bound(tenant) / bounds : 1.0 / tenants.size();
          return new Claim(
              tenant.name(), used * share, bound(tenant), requested(tenant.name(), gpu));
        })
        .toList();
  }

  private static double bound(Tenant tenant) {
    return tenant.peakMemory().upper().bytes();
  }

  /** The bound of a pod with a whole GPU; 0 where nothing is predicted of it. */
  private double bound(String holder, String gpu) {
    Holding holding = held.get(holder);
    return holding == null
        ? 0
        : holding.decision().grants().stream()
            .filter(grant -> grant.gpuUuid().equals(gpu))
            .map(Grant::prediction)
            .filter(Objects::nonNull)
            .map(Prediction::peakMemory)
            .mapToDouble(peak -> peak.upper().bytes())
            .findFirst()
            .orElse(0);
  }

  /** Memory that a sharing pod states; 0 where it states none. */
  private double requested(String tenant, GpuSnapshot gpu) {
    Holding holding = held.get(tenant);
    return holding != null && holding.pod().request() instanceof Colocatable pod
        ? pod.declaredMemory().map(stated -> stated.on(gpu.capacity()).bytes()).orElse(0L)
        : 0;
  }

  private static void add(
      GpuSnapshot gpu, String tenant, Part part, double ratio, List<GpuShare> all) {
    if (ratio > 0) {
      // A claim of others is called "ResourceClaim team-a/mine".
      String name = tenant.substring(tenant.lastIndexOf(' ') + 1);
      int slash = name.indexOf('/');
      all.add(
          new GpuShare(
              gpu.uuid(),
              gpu.node(),
              gpu.device().id().value(),
              name.substring(0, Math.max(0, slash)),
              name.substring(slash + 1),
              part,
              ratio));
    }
  }
}
