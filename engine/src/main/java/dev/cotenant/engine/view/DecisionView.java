package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.SlowdownBasis;
import dev.cotenant.domain.decision.SlowdownRisk;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.Load.RequestRate.Source;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A decision with its numbers.
 *
 * @param result {@code Admitted}, {@code Held} or {@code Denied}
 * @param grants where it may run; empty unless admitted
 * @param evidence the limits that were held; absent unless it shares a GPU
 * @param wholeGpuReason why it was given whole GPUs; absent unless it was
 * @param reasons why not; empty when admitted
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DecisionView(
    @JsonProperty("workload") String workload,
    @JsonProperty("result") String result,
    @JsonProperty("grants") List<GrantView> grants,
    @JsonProperty("evidence") @Nullable EvidenceView evidence,
    @JsonProperty("whole_gpu_reason") @Nullable String wholeGpuReason,
    @JsonProperty("reasons") List<ReasonView> reasons) {

  /** Capacity on one GPU; the prediction is absent where the model is unknown. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record GrantView(
      @JsonProperty("gpu") String gpu,
      @JsonProperty("node") String node,
      @JsonProperty("prediction") @Nullable PredictionView prediction) {
    static GrantView of(String model, Grant grant) {
      Prediction prediction = grant.prediction();
      return new GrantView(
          grant.gpuUuid(),
          grant.node(),
          prediction == null ? null : PredictionView.ofModel(model, prediction));
    }
  }

  /**
   * The numbers of a share; upper slowdown and model are absent where the slowdown rests on the
   * summed utilization alone, risk and budget where no budget binds.
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record EvidenceView(
      @JsonProperty("summed_utilization_percent") double summedUtilizationPercent,
      @JsonProperty("utilization_limit_percent") double utilizationLimitPercent,
      @JsonProperty("forecast_memory_bytes") long memoryUsedBytes,
      @JsonProperty("predicted_peak_upper_bytes") long memoryNeededBytes,
      @JsonProperty("memory_limit_bytes") long memoryLimitBytes,
      @JsonProperty("estimator") String estimator,
      @JsonProperty("slowdown_ratio") double slowdownRatio,
      @JsonProperty("slowdown_upper_ratio") @Nullable Double slowdownUpperRatio,
      @JsonProperty("interference_model") @Nullable String interferenceModel,
      @JsonProperty("slowdown_limit_ratio") double slowdownLimitRatio,
      @JsonProperty("risk_percent") @Nullable Double riskPercent,
      @JsonProperty("risk_budget_percent") @Nullable Double riskBudgetPercent,
      @JsonProperty("tenants") int tenants,
      @JsonProperty("tenant_limit") int tenantLimit,
      @JsonProperty("service") @Nullable ServiceView service) {
    static EvidenceView of(Evidence.WithinLimits numbers) {
      SlowdownBasis basis = numbers.basis();
      SlowdownRisk risk = numbers.risk();
      return new EvidenceView(
          numbers.summedUtilization().percent(),
          numbers.limits().summedUtilization().percent(),
          numbers.memoryUsed().bytes(),
          numbers.memoryNeeded().bytes(),
          numbers.memoryLimit().bytes(),
          numbers.estimator(),
          numbers.slowdown().ratio(),
          basis == null ? null : Double.valueOf(basis.upper().ratio()),
          basis == null ? null : basis.model(),
          numbers.limits().slowdown().ratio(),
          risk == null ? null : Double.valueOf(100 * risk.probability()),
          risk == null ? null : Double.valueOf(100 * risk.budget()),
          numbers.tenants(),
          numbers.limits().tenants(),
          ServiceView.of(numbers.service()));
    }
  }

  /**
   * The latency objective of a service that shares a GPU.
   *
   * @param objectiveSeconds latency limit for 99 of 100 requests
   * @param requestRate absent where not known; queueing is not counted then
   * @param requestRateSource {@code stated} or {@code measured}
   * @param p99AloneSeconds solo 99th percentile of latency
   * @param mostSlowdownRatio slowdown up to which the objective is met
   * @param sharePercent share limit, percent of the GPU's compute
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record ServiceView(
      @JsonProperty("objective_seconds") double objectiveSeconds,
      @JsonProperty("request_rate") @Nullable Double requestRate,
      @JsonProperty("request_rate_source") @Nullable String requestRateSource,
      @JsonProperty("p99_alone_seconds") double p99AloneSeconds,
      @JsonProperty("most_slowdown_ratio") double mostSlowdownRatio,
      @JsonProperty("share_percent") double sharePercent) {
    static @Nullable ServiceView of(@Nullable ObjectivePrediction service) {
      return service == null
          ? null
          : new ServiceView(
              service.objectiveSeconds(),
              service.requestsPerSecond(),
              source(service),
              service.aloneSeconds(),
              service.mostSlowdown(),
              service.share().percent());
    }

    private static @Nullable String source(ObjectivePrediction service) {
      if (service.requestsPerSecond() == null) {
        return null;
      }
      return (service.isRateMeasured() ? Source.MEASURED : Source.STATED).toString();
    }
  }

  /**
   * A decision about a workload.
   *
   * @param model what its predictions call the model
   */
  public static DecisionView of(String workload, String model, Decision decision) {
    return switch (decision) {
      case Decision.Admitted(List<Grant> grants, Evidence evidence) ->
          new DecisionView(
              workload,
              "Admitted",
              grants.stream().map(grant -> GrantView.of(model, grant)).toList(),
              evidence instanceof Evidence.WithinLimits numbers ? EvidenceView.of(numbers) : null,
              evidence instanceof Evidence.FreeGpus whole ? whole.sentence() : null,
              List.of());
      case Decision.Held held ->
          new DecisionView(workload, "Held", List.of(), null, null, ReasonView.of(held.reasons()));
      case Decision.Denied denied ->
          new DecisionView(
              workload, "Denied", List.of(), null, null, ReasonView.of(denied.reasons()));
    };
  }
}
