package dev.cotenant.service.rest.decision;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.EngineStart;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SlowdownBasis;
import dev.cotenant.domain.decision.SlowdownRisk;
import dev.cotenant.engine.view.GpuView;
import dev.cotenant.engine.view.GpuView.ReviewView;
import dev.cotenant.engine.view.GpuView.TenantView;
import dev.cotenant.service.access.Visibility;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers without the names of pods that a caller may not read. What is known of GPUs themselves
 * (how full they are, how many share them) is shown to every caller who may read GPUs anywhere.
 */
final class Redaction {
  private Redaction() {}

  /** A GPU with the visible names of its tenants. */
  static GpuView of(GpuSnapshot gpu, Visibility visibility, @Nullable ReviewView review) {
    GpuView view = GpuView.of(gpu);
    String holder = view.holder();
    return new GpuView(
        view.uuid(),
        view.node(),
        view.device(),
        view.capacityBytes(),
        view.tenancy(),
        holder == null ? null : visibility.name(holder),
        view.tenants().stream().map(tenant -> of(tenant, visibility)).toList(),
        view.summedUtilizationPercent(),
        view.observedUtilizationPercent(),
        view.metrics(),
        view.usedBytes(),
        view.ageSeconds(),
        view.forecasts(),
        review);
  }

  private static TenantView of(TenantView tenant, Visibility visibility) {
    return new TenantView(
        visibility.name(tenant.name()),
        tenant.utilizationPercent(),
        tenant.peakMemoryBytes(),
        tenant.since(),
        tenant.profiledUntil(),
        tenant.guardedSince());
  }

  /** A decision, whose reasons name other pods only as far as they may be read. */
  static Decision of(Decision decision, Visibility visibility) {
    if (visibility.equals(Visibility.EVERYTHING)) {
      return decision;
    }
    return switch (decision) {
      case Decision.Admitted admitted -> admitted;
      case Decision.Held(List<Reason> reasons) -> new Decision.Held(of(reasons, visibility));
      case Decision.Denied(List<Reason> reasons) -> new Decision.Denied(of(reasons, visibility));
    };
  }

  private static List<Reason> of(List<Reason> reasons, Visibility visibility) {
    return reasons.stream().map(reason -> of(reason, visibility)).toList();
  }

  /** No default case, so that a new reason with a pod's name must be handled here. */
  static Reason of(Reason reason, Visibility visibility) {
    return switch (reason) {
      case Reason.ExclusiveRequested(String gpu, String node, String holder) ->
          new Reason.ExclusiveRequested(gpu, node, visibility.name(holder));
      case Reason.EngineStarting(String gpu, String node, EngineStart start) ->
          new Reason.EngineStarting(gpu, node, start.named(visibility.name(start.holder())));
      case Reason.QueuedBehind(String pod, int skips) ->
          new Reason.QueuedBehind(visibility.name(pod), skips);
      case Reason.InterferenceExceeded r when r.basis() != null ->
          new Reason.InterferenceExceeded(
              r.gpuUuid(),
              r.node(),
              r.predicted(),
              r.summedUtilization(),
              r.limit(),
              of(r.basis(), visibility));
      case Reason.ProfilingInProgress(String gpu, String node, String tenant, Instant until) ->
          new Reason.ProfilingInProgress(gpu, node, visibility.name(tenant), until);
      case Reason.GpuGuarded(String gpu, String node, String tenant, Instant since) ->
          new Reason.GpuGuarded(gpu, node, visibility.name(tenant), since);
      case Reason.PairAvoided(String gpu, String node, String tenant, Instant until) ->
          new Reason.PairAvoided(gpu, node, visibility.name(tenant), until);
      case Reason.RiskExceeded(String gpu, String node, SlowdownRisk risk) ->
          new Reason.RiskExceeded(gpu, node, of(risk, visibility));
      case Reason.InterferenceExceeded _,
          Reason.UtilizationExceeded _,
          Reason.SharesExceeded _,
          Reason.MemoryForecastExceeded _,
          Reason.TenantLimit _,
          Reason.TrustDomainMismatch _,
          Reason.ProfilingNeedsFreeGpu _,
          Reason.MetricsStale _,
          Reason.NoMetrics _,
          Reason.MigNotShareable _,
          Reason.NoCandidateGpu _,
          Reason.ModelUnknown _,
          Reason.PolicyExcluded _,
          Reason.PredictedMemoryExceeded _,
          Reason.ObjectiveMissed _,
          Reason.GrantConflict _,
          Reason.NodeExcluded _,
          Reason.WaitTimeout _,
          Reason.GrantRefused _,
          Reason.ObjectivePending _,
          Reason.OpenGrants _,
          Reason.RequestInvalid _ ->
          reason;
    };
  }

  /** Without the neighbour in the cause, whose name may not be read. */
  private static SlowdownRisk of(SlowdownRisk risk, Visibility visibility) {
    String cause = risk.cause();
    int named = cause.indexOf(" (");
    return new SlowdownRisk(
        visibility.name(risk.workload()),
        risk.probability(),
        risk.budget(),
        risk.limit(),
        named < 0 ? cause : cause.substring(0, named),
        risk.source());
  }

  private static SlowdownBasis of(SlowdownBasis basis, Visibility visibility) {
    return new SlowdownBasis(
        basis.model(),
        basis.upper(),
        basis.parts().stream().map(part -> part.named(visibility.name(part.workload()))).toList());
  }
}
