package dev.cotenant.engine.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.decision.EngineStart;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SlowdownRisk;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys follow the names of components, so that a renamed one would change the published JSON. */
class ReasonViewTest {
  private static final SummedUtilization SUM = SummedUtilization.ofPercent(150);
  private static final MemorySize SIZE = MemorySize.ofGiB(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static void assertKeys(Reason reason, String... keys) {
    assertThat(ReasonView.of(List.of(reason)).getFirst().numbers())
        .as(reason.code())
        .containsOnlyKeys(keys);
  }

  @Test
  void limitsOfAGpuHaveTheirUnits() {
    assertKeys(
        new Reason.UtilizationExceeded(
            "g", "n", SUM, Utilization.IDLE, Utilization.IDLE, SUM, null),
        "gpu",
        "node",
        "tenants_percent",
        "unattributed_usage_percent",
        "workload_upper_percent",
        "limit_percent");
    assertKeys(
        new Reason.MemoryForecastExceeded(
            "g", "n", SIZE, "peak-bound", SIZE, null, SIZE, null, null),
        "gpu",
        "node",
        "forecast_used_bytes",
        "estimator",
        "workload_upper_bytes",
        "limit_bytes");
    assertKeys(
        new Reason.MemoryForecastExceeded(
            "g", "n", SIZE, "peak-bound", SIZE, null, SIZE, null, SIZE),
        "gpu",
        "node",
        "forecast_used_bytes",
        "estimator",
        "workload_upper_bytes",
        "limit_bytes",
        "new_tenants_bytes");
    Slowdown limit = Slowdown.ofRatio(1.15);
    assertKeys(
        new Reason.InterferenceExceeded("g", "n", Slowdown.ofRatio(1.4), SUM, limit, null),
        "gpu",
        "node",
        "predicted_slowdown_ratio",
        "summed_utilization_percent",
        "limit_ratio");
    assertKeys(
        new Reason.RiskExceeded(
            "g", "n", new SlowdownRisk("a/b", 0.2, 0.1, limit, "pairs", "progress")),
        "gpu",
        "node",
        "workload",
        "risk_percent",
        "budget_percent",
        "limit_ratio",
        "cause",
        "speed_source");
    assertKeys(
        new Reason.PredictedMemoryExceeded("g", "n", SIZE, 2, SIZE),
        "gpu",
        "node",
        "predicted_mean_bytes",
        "gpus",
        "limit_bytes");
    assertKeys(
        new Reason.MetricsStale("g", "n", MINUTE, MINUTE),
        "gpu",
        "node",
        "age_seconds",
        "limit_seconds");
  }

  @Test
  void occupantsOfAGpuAreNamed() {
    assertKeys(new Reason.TenantLimit("g", "n", 3, 3), "gpu", "node", "tenants", "limit");
    assertKeys(new Reason.ExclusiveRequested("g", "n", "a/b"), "gpu", "node", "holder");
    assertKeys(
        new Reason.GpuGuarded("g", "n", "a/b", Instant.EPOCH), "gpu", "node", "tenant", "since");
    assertKeys(
        new Reason.PairAvoided("g", "n", "a/b", Instant.EPOCH), "gpu", "node", "tenant", "until");
    assertKeys(
        new Reason.ProfilingNeedsFreeGpu("g", "n", MINUTE), "gpu", "node", "profile_seconds");
    assertKeys(
        new Reason.EngineStarting(
            "g", "n", new EngineStart("a/b", true, MINUTE, SIZE, MINUTE, MINUTE)),
        "gpu",
        "node",
        "holder",
        "waited_seconds",
        "spread_bytes",
        "window_seconds",
        "limit_seconds");
  }

  @Test
  void textsStayInTheMessage() {
    assertKeys(new Reason.NoCandidateGpu(6, "none of the product"), "gpus_in_cluster");
    assertKeys(new Reason.NodeExcluded("n", "is cordoned"), "node");
    assertKeys(new Reason.ModelUnknown(null, "is being read"));
    assertKeys(new Reason.ModelUnknown("resnet50", null), "model");
    assertKeys(new Reason.GrantRefused("conflict"));
    assertKeys(new Reason.PolicyExcluded(null, Coverage.of(0.9)), "least_coverage");
    assertKeys(
        new Reason.PolicyExcluded(Coverage.of(0.8), Coverage.of(0.9)),
        "coverage",
        "least_coverage");
    assertKeys(new Reason.OpenGrants(20), "grants");
    assertKeys(new Reason.QueuedBehind("a/b", 2), "ahead", "skips");
    assertKeys(new Reason.WaitTimeout(MINUTE, MINUTE), "waited_seconds", "limit_seconds");
    assertThat(
            ReasonView.of(
                    List.of(
                        new Reason.GrantConflict(
                            List.of(new Reason.GrantConflict.Difference("batch size", "1", "2")))))
                .getFirst()
                .numbers())
        .containsEntry("differences", List.of("batch size"));
  }
}
