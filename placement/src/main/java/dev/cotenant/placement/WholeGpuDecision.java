package dev.cotenant.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Looks for free GPUs on one node: the node with the fewest that suffice, then by name. */
final class WholeGpuDecision {
  /** What a driver may hold on a GPU that nobody uses; more means somebody does. */
  private static final MemorySize IDLE_USE = MemorySize.ofGiB(1);

  Decision decide(ClusterSnapshot snapshot, PlacementRequest.Whole request) {
    Map<String, List<GpuSnapshot>> free = new TreeMap<>();
    Map<String, Integer> wholeGpus = new TreeMap<>();
    List<Reason> reasons = new ArrayList<>();
    for (GpuSnapshot gpu : GpuOrder.sorted(snapshot)) {
      if (!(gpu.tenancy() instanceof Tenancy.Mig)) {
        wholeGpus.merge(gpu.node(), 1, Integer::sum);
      }
      whyNotFree(gpu)
          .ifPresentOrElse(
              reasons::add,
              () -> free.computeIfAbsent(gpu.node(), _ -> new ArrayList<>()).add(gpu));
    }
    Optional<List<GpuSnapshot>> chosen =
        free.values().stream()
            .filter(gpus -> gpus.size() >= request.gpus())
            .min(Comparator.comparingInt(List::size));
    if (chosen.isPresent()) {
      return admit(request, chosen.get().subList(0, request.gpus()));
    }
    boolean couldEverFit = wholeGpus.values().stream().anyMatch(n -> n >= request.gpus());
    return refuse(snapshot, request, couldEverFit ? reasons : List.of());
  }

  private static Decision admit(PlacementRequest.Whole request, List<GpuSnapshot> gpus) {
    List<Grant> grants =
        gpus.stream()
            .map(gpu ->
                new Grant(gpu.uuid(), gpu.node(), request.predictions().get(gpu.device().id())))
            .toList();
    return new Decision.Admitted(grants, new Evidence.FreeGpus(request.gpus(), request.because()));
  }

  private static Decision refuse(
      ClusterSnapshot snapshot, PlacementRequest.Whole request, List<Reason> busy) {
    List<Reason> reasons = new ArrayList<>();
    if (request.because() instanceof PlacementRequest.ExclusiveCause.ModelUnknown unknown) {
      reasons.add(new Reason.ModelUnknown(unknown.model()));
    }
    if (busy.isEmpty()) {
      reasons.add(
          new Reason.NoCandidateGpu(
              snapshot.gpus().size(),
              "no node has " + request.gpus() + " GPUs that are not split by MIG"));
      return new Decision.Denied(reasons);
    }
    reasons.addAll(busy);
    return new Decision.Held(reasons);
  }

  private static Optional<Reason> whyNotFree(GpuSnapshot gpu) {
    return switch (gpu.tenancy()) {
      case Tenancy.Mig _ -> Optional.of(new Reason.MigNotShareable(gpu.uuid(), gpu.node()));
      case Tenancy.Exclusive(String holder) -> Optional.of(heldBy(gpu, holder));
      case Tenancy.Shared(List<Tenant> tenants) when !tenants.isEmpty() ->
          Optional.of(
              heldBy(gpu, tenants.stream().map(Tenant::name).collect(Collectors.joining(", "))));
      case Tenancy.Shared _ -> whyNotIdle(gpu);
    };
  }

  private static Optional<Reason> whyNotIdle(GpuSnapshot gpu) {
    return switch (gpu.memory()) {
      case MemoryOutlook.Unmeasured _ -> Optional.of(new Reason.NoMetrics(gpu.uuid(), gpu.node()));
      case MemoryOutlook.Stale(var age, var limit) ->
          Optional.of(new Reason.MetricsStale(gpu.uuid(), gpu.node(), age, limit));
      case MemoryOutlook.Measured measured ->
          measured.lastUsed().isAtMost(IDLE_USE)
              ? Optional.empty()
              : Optional.of(heldBy(gpu, "somebody unknown using " + measured.lastUsed()));
    };
  }

  private static Reason heldBy(GpuSnapshot gpu, String holder) {
    return new Reason.ExclusiveRequested(gpu.uuid(), gpu.node(), holder);
  }
}
