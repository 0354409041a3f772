package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Looks for free GPUs on one node: the node with the fewest that suffice, then by name.
 *
 * <p>A GPU is not eligible where the workload, alone on the GPUs that it requests, is predicted to
 * need more memory than they have together. That is the mean, not the upper bound: a whole GPU
 * harms no other workload, so a workload that probably fits is placed. Together, because nothing
 * says how several GPUs split the work; no split needs less.
 */
final class WholeGpuDecision {
  private final Candidates candidates;
  private final PlacementRequest.Whole request;

  private WholeGpuDecision(Candidates candidates, PlacementRequest.Whole request) {
    this.candidates = candidates;
    this.request = request;
  }

  static Decision decide(Candidates candidates, PlacementRequest.Whole request) {
    return new WholeGpuDecision(candidates, request).decision();
  }

  private Decision decision() {
    List<GpuSnapshot> chosen = List.of();
    for (NodeGpus node : candidates.cluster().nodes()) {
      if (node.free().size() >= request.gpus()) {
        List<GpuSnapshot> fit = node.free().stream().filter(this::isEligible).toList();
        boolean suffices = fit.size() >= request.gpus();
        chosen = suffices && (chosen.isEmpty() || fit.size() < chosen.size()) ? fit : chosen;
      }
    }
    return chosen.isEmpty() ? refused() : admitted(chosen.subList(0, request.gpus()));
  }

  private boolean isEligible(GpuSnapshot gpu) {
    return candidates.include(gpu) && whyTooSmall(gpu, request).isEmpty();
  }

  private Decision admitted(List<GpuSnapshot> gpus) {
    List<Grant> grants =
        gpus.stream()
            .map(gpu ->
                new Grant(gpu.uuid(), gpu.node(), request.predictions().get(gpu.device().id())))
            .toList();
    return new Decision.Admitted(grants, new Evidence.FreeGpus(request.gpus(), request.because()));
  }

  private Decision refused() {
    long most = 0;
    for (NodeGpus node : candidates.cluster().nodes()) {
      long whole =
          node.gpus().stream()
              .filter(gpu -> !(gpu.tenancy() instanceof Tenancy.Mig) && isEligible(gpu))
              .count();
      most = Math.max(most, whole);
    }
    boolean noneWhole = most == 0;
    return most >= request.gpus()
        ? new Decision.Held(new DeferredReasons(this::whyNotNow))
        : new Decision.Denied(new DeferredReasons(() -> whyNever(noneWhole)));
  }

  private List<Reason> whyNotNow() {
    List<Reason> notFree = new ArrayList<>();
    for (GpuSnapshot gpu : candidates.byName()) {
      if (whyTooSmall(gpu, request).isEmpty()) {
        FreeGpu.whyNot(gpu).ifPresent(notFree::add);
      }
    }
    return join(cause(request), tooSmall(), notFree);
  }

  private List<Reason> tooSmall() {
    return candidates.byName().stream().flatMap(gpu -> whyTooSmall(gpu, request).stream()).toList();
  }

  /** Why no node will ever do, unless that its GPUs are too small says it. */
  private List<Reason> whyNever(boolean noneWhole) {
    List<Reason> tooSmall = tooSmall();
    List<Reason> never =
        noneWhole && !tooSmall.isEmpty()
            ? List.of()
            : List.of(
                new Reason.NoCandidateGpu(
                    candidates.count(),
                    "no node has " + request.gpus() + " GPUs that are not split by MIG"));
    return join(cause(request), tooSmall, never);
  }

  /** Why it wants whole GPUs, where that is no wish of its own. */
  static List<Reason> cause(PlacementRequest.Whole request) {
    return switch (request.because()) {
      case ExclusiveCause.ModelUnknown unknown -> List.of(unknown.reason());
      case ExclusiveCause.BoundsUncertain uncertain -> List.of(Reason.PolicyExcluded.of(uncertain));
      case ExclusiveCause.WaitTimeout(var waited, var limit) ->
          List.of(new Reason.WaitTimeout(waited, limit));
      case ExclusiveCause.SeveralGpus _,
          ExclusiveCause.MetricsMissing _,
          ExclusiveCause.NotShareable _ ->
          List.of();
    };
  }

  private static List<Reason> join(List<Reason> cause, List<Reason> tooSmall, List<Reason> others) {
    return Stream.of(cause, tooSmall, others).flatMap(List::stream).toList();
  }

  /** Why the GPU is too small or too slow even for the workload alone, if it is. */
  static Optional<Reason> whyTooSmall(GpuSnapshot gpu, PlacementRequest.Whole request) {
    Prediction prediction = request.predictions().get(gpu.device().id());
    if (prediction == null || gpu.tenancy() instanceof Tenancy.Mig) {
      return Optional.empty();
    }
    Optional<Reason> missed =
        request.gpus() == 1 ? whyMissed(gpu, prediction) : Optional.<Reason>empty();
    return missed.isPresent() ? missed : whyTooSmall(gpu, prediction, request.gpus());
  }

  /** Reason if the workload's predicted memory exceeds that of this number of GPUs. */
  static Optional<Reason> whyTooSmall(GpuSnapshot gpu, Prediction prediction, int gpus) {
    MemorySize needed = prediction.peakMemory().mean();
    MemorySize together = gpu.capacity().times(gpus);
    return needed.isAtMost(together)
        ? Optional.empty()
        : Optional.of(
            new Reason.PredictedMemoryExceeded(gpu.uuid(), gpu.node(), needed, gpus, together));
  }

  /** That a service misses its latency objective there even alone, if it does. */
  static Optional<Reason> whyMissed(GpuSnapshot gpu, Prediction prediction) {
    ObjectivePrediction service = prediction.service();
    return service != null && service.isMissed()
        ? Optional.of(
            new Reason.ObjectiveMissed(gpu.uuid(), gpu.node(), service, prediction.batchSize()))
        : Optional.empty();
  }
}
