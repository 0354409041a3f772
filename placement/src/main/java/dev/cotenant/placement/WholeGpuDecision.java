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
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Looks for free GPUs on one node: the node with the fewest that suffice, then by name.
 *
 * <p>A GPU is out of the question where the workload, alone on the GPUs that it asks for, is
 * predicted to need more memory than they have together. That is the mean, not the upper bound: a
 * whole GPU hurts nobody else, so what will rather fit than not is let try. Together, because
 * nothing says how several GPUs split the work; no split needs less.
 */
final class WholeGpuDecision {
  /** What a monitor may show on a GPU that nobody uses. */
  private static final Utilization IDLE_UTILIZATION = Utilization.ofPercent(5);

  /** What a driver may hold on a GPU that nobody uses; more means somebody does. */
  private static final MemorySize IDLE_USE = MemorySize.ofGiB(1);

  Decision decide(ClusterSnapshot snapshot, PlacementRequest.Whole request) {
    Map<String, List<GpuSnapshot>> free = new TreeMap<>();
    Map<String, Integer> wholeGpus = new TreeMap<>();
    List<Reason> tooSmall = new ArrayList<>();
    List<Reason> reasons = new ArrayList<>();
    for (GpuSnapshot gpu : GpuOrder.sorted(snapshot)) {
      Optional<Reason> why = whyTooSmall(gpu, request);
      if (why.isPresent()) {
        tooSmall.add(why.get());
        continue;
      }
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
    return couldEverFit
        ? new Decision.Held(join(cause(request), tooSmall, reasons))
        : new Decision.Denied(
            join(
                cause(request),
                tooSmall,
                never(snapshot, request, wholeGpus.isEmpty() ? tooSmall : List.of())));
  }

  private static Decision admit(PlacementRequest.Whole request, List<GpuSnapshot> gpus) {
    List<Grant> grants =
        gpus.stream()
            .map(gpu ->
                new Grant(gpu.uuid(), gpu.node(), request.predictions().get(gpu.device().id())))
            .toList();
    return new Decision.Admitted(grants, new Evidence.FreeGpus(request.gpus(), request.because()));
  }

  /** Why it wants whole GPUs, where that is no wish of its own. */
  private static List<Reason> cause(PlacementRequest.Whole request) {
    return switch (request.because()) {
      case ExclusiveCause.ModelUnknown(String model) -> List.of(new Reason.ModelUnknown(model));
      case ExclusiveCause.BoundsUncertain uncertain -> List.of(Reason.PolicyExcluded.of(uncertain));
      case ExclusiveCause.SeveralGpus _ -> List.of();
    };
  }

  /** Why no node will ever do, unless that its GPUs are too small says it. */
  private static List<Reason> never(
      ClusterSnapshot snapshot, PlacementRequest.Whole request, List<Reason> tooSmall) {
    return tooSmall.isEmpty()
        ? List.of(
            new Reason.NoCandidateGpu(
                snapshot.gpus().size(),
                "no node has " + request.gpus() + " GPUs that are not split by MIG"))
        : List.of();
  }

  private static List<Reason> join(List<Reason> cause, List<Reason> tooSmall, List<Reason> others) {
    return Stream.of(cause, tooSmall, others).flatMap(List::stream).toList();
  }

  private static Optional<Reason> whyTooSmall(GpuSnapshot gpu, PlacementRequest.Whole request) {
    Prediction prediction = request.predictions().get(gpu.device().id());
    if (prediction == null || gpu.tenancy() instanceof Tenancy.Mig) {
      return Optional.empty();
    }
    MemorySize needed = prediction.peakMemory().mean();
    MemorySize together = gpu.capacity().times(request.gpus());
    return needed.isAtMost(together)
        ? Optional.empty()
        : Optional.of(
            new Reason.PredictedMemoryExceeded(
                gpu.uuid(), gpu.node(), needed, request.gpus(), together));
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
              ? whyBusy(gpu)
              : Optional.of(heldBy(gpu, "somebody unknown using " + measured.lastUsed()));
    };
  }

  private static Optional<Reason> whyBusy(GpuSnapshot gpu) {
    Utilization observed = gpu.observedUtilization();
    return observed == null || observed.compareTo(IDLE_UTILIZATION) <= 0
        ? Optional.empty()
        : Optional.of(heldBy(gpu, "somebody unknown keeping it " + observed + " busy"));
  }

  private static Reason heldBy(GpuSnapshot gpu, String holder) {
    return new Reason.ExclusiveRequested(gpu.uuid(), gpu.node(), holder);
  }
}
