package dev.cotenant.engine.plan;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plan of one strategy, with predictions.
 *
 * @param arrivals {@code constant} or {@code poisson}: what figures and violations are under
 * @param violations workloads that are predicted to miss their objective or their rate
 * @param lowerBoundGpus the fewest GPUs that any plan needs; null where nothing was proved
 * @param notes what the figures rest on and which limit binds
 */
public record PlanView(
    @JsonProperty("strategy") String strategy,
    @JsonProperty("arrivals") String arrivals,
    @JsonProperty("gpus") List<GpuEntry> gpus,
    @JsonProperty("cost_per_hour") double costPerHour,
    @JsonProperty("violations") int violations,
    @JsonProperty("lower_bound_gpus") @Nullable Integer lowerBoundGpus,
    @JsonProperty("unplaced") List<UnplacedEntry> unplaced,
    @JsonProperty("notes") List<String> notes,
    @JsonProperty("elapsed_ms") double elapsedMillis) {

  /** One GPU; {@code index} counts from 0 over the plan. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record GpuEntry(
      @JsonProperty("device") String device,
      @JsonProperty("index") @JsonInclude int index,
      @JsonProperty("workloads") @JsonInclude List<PlacedWorkload> workloads,
      @JsonProperty("jobs") List<PlacedJob> jobs) {}

  /**
   * One workload in its partition.
   *
   * @param partition counts partitions of the GPU from 0; workloads of one take turns
   * @param requestRate part of the workload's rate that this partition serves
   * @param latencyMillis latency of a batch of this size
   * @param throughput requests a second at most
   * @param p99Millis of simulated requests, waiting included; absent under constant arrivals
   * @param slackMillis slack to the objective: to half of it for the batch under constant arrivals,
   *     to all of it for the 99th percentile under Poisson arrivals
   * @param meets whether objective and rate are predicted to hold
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record PlacedWorkload(
      @JsonProperty("name") String name,
      @JsonProperty("partition") int partition,
      @JsonProperty("share_percent") double sharePercent,
      @JsonProperty("batch_size") int batchSize,
      @JsonProperty("request_rate_per_second") double requestRate,
      @JsonProperty("predicted_latency_ms") @Nullable Double latencyMillis,
      @JsonProperty("predicted_throughput_per_second") double throughput,
      @JsonProperty("predicted_p99_ms") @Nullable Double p99Millis,
      @JsonProperty("slack_ms") @Nullable Double slackMillis,
      @JsonProperty("meets_objective") boolean meets) {}

  /** One job, with its solo prediction. */
  public record PlacedJob(
      @JsonProperty("name") String name,
      @JsonProperty("utilization_percent") double utilizationPercent,
      @JsonProperty("peak_memory_bytes") long peakMemoryBytes,
      @JsonProperty("requested_memory_bytes") long requestedMemoryBytes) {}

  /** A workload without a place, and why. */
  public record UnplacedEntry(
      @JsonProperty("name") String name, @JsonProperty("reasons") List<String> reasons) {}
}
