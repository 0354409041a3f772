package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SlowdownBasis;
import dev.cotenant.domain.decision.SlowdownRisk;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.ServiceOutlook;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * One numbered reason.
 *
 * @param number its place in the list, from 1
 * @param code the stable reason code
 * @param message one sentence with numbers and units
 * @param numbers the same numbers for machines; keys carry units
 */
public record ReasonView(
    @JsonProperty("number") int number,
    @JsonProperty("code") String code,
    @JsonProperty("message") String message,
    @JsonProperty("numbers") Map<String, Object> numbers) {

  /** Numbers the reasons from 1 in their order. */
  public static List<ReasonView> of(List<Reason> reasons) {
    return IntStream.range(0, reasons.size()).mapToObj(i -> of(i + 1, reasons.get(i))).toList();
  }

  private static ReasonView of(int number, Reason reason) {
    return new ReasonView(number, reason.code(), reason.sentence(), numbers(reason));
  }

  private static Map<String, Object> numbers(Reason reason) {
    Map<String, Object> numbers = new LinkedHashMap<>();
    if (reason instanceof Reason.OfGpu gpu) {
      numbers.put("gpu", gpu.gpuUuid());
      numbers.put("node", gpu.node());
    }
    numbers.putAll(ownNumbers(reason));
    return numbers;
  }

  private static Map<String, Object> ownNumbers(Reason reason) {
    return switch (reason) {
      case Reason.UtilizationExceeded r ->
          ordered(
              "tenants_percent", r.tenants().percent(),
              "unattributed_usage_percent", r.unattributedUsage().percent(),
              "workload_upper_percent", r.workloadUpper().percent(),
              "limit_percent", r.limit().percent());
      case Reason.MemoryForecastExceeded r -> memory(r);
      case Reason.InterferenceExceeded r -> slowdown(r);
      case Reason.RiskExceeded r -> risk(r.risk());
      case Reason.TenantLimit r -> ordered("tenants", r.tenants(), "limit", r.limit());
      case Reason.EngineStarting r ->
          ordered(
              "holder", r.start().holder(),
              "waited_seconds", r.start().waited().toSeconds(),
              "spread_bytes", r.start().spread().bytes(),
              "window_seconds", r.start().window().toSeconds(),
              "limit_seconds", r.start().limit().toSeconds());
      case Reason.ExclusiveRequested r -> ordered("holder", r.holder());
      case Reason.ProfilingInProgress r ->
          ordered("tenant", r.tenant(), "until", r.until().toString());
      case Reason.GpuGuarded r -> ordered("tenant", r.tenant(), "since", r.since().toString());
      case Reason.PairAvoided r -> ordered("tenant", r.tenant(), "until", r.until().toString());
      case Reason.ProfilingNeedsFreeGpu r ->
          ordered("profile_seconds", r.profileTime().toSeconds());
      case Reason.MetricsStale r ->
          ordered("age_seconds", r.age().toSeconds(), "limit_seconds", r.limit().toSeconds());
      case Reason.PredictedMemoryExceeded r ->
          ordered(
              "predicted_mean_bytes", r.predictedMean().bytes(),
              "gpus", r.gpus(),
              "limit_bytes", r.limit().bytes());
      case Reason.ObjectiveMissed r -> service(r.service(), r.batch());
      case Reason.PolicyExcluded r ->
          r.coverage() == null
              ? ordered("least_coverage", r.least().fraction())
              : ordered(
                  "coverage", r.coverage().fraction(), "least_coverage", r.least().fraction());
      case Reason.NoCandidateGpu r -> ordered("gpus_in_cluster", r.gpusInCluster());
      case Reason.ModelUnknown r -> r.model() == null ? Map.of() : ordered("model", r.model());
      case Reason.GrantConflict r ->
          ordered(
              "differences",
              r.differences().stream().map(Reason.GrantConflict.Difference::what).toList());
      case Reason.QueuedBehind r -> ordered("ahead", r.pod(), "skips", r.skips());
      case Reason.NodeExcluded r -> ordered("node", r.node());
      case Reason.WaitTimeout r ->
          ordered("waited_seconds", r.waited().toSeconds(), "limit_seconds", r.limit().toSeconds());
      case Reason.RequestInvalid r -> ordered("problems", r.problems());
      case Reason.GrantRefused _, Reason.ObjectivePending _ -> Map.of();
      case Reason.NoMetrics _, Reason.MigNotShareable _, Reason.TrustDomainMismatch _ -> Map.of();
    };
  }

  private static Map<String, Object> memory(Reason.MemoryForecastExceeded r) {
    Map<String, Object> numbers =
        ordered(
            "forecast_used_bytes", r.forecastUsed().bytes(),
            "estimator", r.estimator(),
            "workload_upper_bytes", r.workloadUpper().bytes(),
            "limit_bytes", r.limit().bytes());
    EngineMemory engine = r.engine();
    if (engine != null && engine.least() != null) {
      numbers.put("takes_bytes", engine.takes().bytes());
      numbers.put("least_bytes", engine.least().upper().bytes());
      engine.least().argument().ifPresent(argument -> numbers.put("argument", argument));
    }
    return numbers;
  }

  private static Map<String, Object> slowdown(Reason.InterferenceExceeded r) {
    Map<String, Object> numbers =
        ordered(
            "predicted_slowdown_ratio", r.predicted().ratio(),
            "summed_utilization_percent", r.summedUtilization().percent(),
            "limit_ratio", r.limit().ratio());
    SlowdownBasis basis = r.basis();
    if (basis != null) {
      numbers.put("slowdown_upper_ratio", basis.upper().ratio());
      numbers.put("interference_model", basis.model());
      numbers.put("parts", basis.parts().stream().map(ReasonView::part).toList());
    }
    return numbers;
  }

  private static Map<String, Object> service(ServiceOutlook service, int batch) {
    Map<String, Object> numbers =
        ordered("objective_seconds", service.objectiveSeconds(), "batch_size", batch);
    if (service.requestsPerSecond() != null) {
      numbers.put("request_rate", service.requestsPerSecond());
      numbers.put("most_request_rate", service.mostPerSecond());
      numbers.put("replicas", service.replicas());
    }
    if (Double.isFinite(service.aloneSeconds())) {
      numbers.put("p99_alone_seconds", service.aloneSeconds());
    }
    return numbers;
  }

  private static Map<String, Object> risk(SlowdownRisk risk) {
    return ordered(
        "workload", risk.workload(),
        "risk_percent", 100 * risk.probability(),
        "budget_percent", 100 * risk.budget(),
        "limit_ratio", risk.limit().ratio(),
        "cause", risk.cause());
  }

  private static Map<String, Object> part(SlowdownBasis.Part part) {
    return ordered(
        "workload", part.workload(),
        "utilization_percent", part.utilizationPercent(),
        "bandwidth_percent", part.bandwidthPercent());
  }

  private static Map<String, Object> ordered(Object... keysAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return map;
  }
}
