package dev.cotenant.engine.fleet;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a loop wants for a fleet, and why.
 *
 * @param at when its metrics were read
 * @param period how many decisions there were
 * @param gpus in use by the target
 * @param workloads observed and predicted
 * @param changes of the last decision, the cheapest first
 * @param steps from the last target to this one, in order
 * @param shortfalls workloads that the target does not serve in full
 * @param deferred whether changes wait, since the moves of the period are spent
 * @param notes what the figures rest on
 */
public record FleetView(
    @JsonProperty("at") String at,
    @JsonProperty("period") long period,
    @JsonProperty("gpus") List<TargetGpu> gpus,
    @JsonProperty("workloads") List<WatchedWorkload> workloads,
    @JsonProperty("changes") List<FleetChange> changes,
    @JsonProperty("steps") List<FleetStep> steps,
    @JsonProperty("shortfalls") List<FleetShortfall> shortfalls,
    @JsonProperty("deferred") boolean deferred,
    @JsonProperty("notes") List<String> notes) {
  /** A GPU of the target. */
  public record TargetGpu(
      @JsonProperty("name") String name,
      @JsonProperty("device") String device,
      @JsonProperty("partitions") List<TargetPartition> partitions) {}

  /** A partition of the target. */
  public record TargetPartition(
      @JsonProperty("id") String id,
      @JsonProperty("workload") String workload,
      @JsonProperty("share_percent") double sharePercent,
      @JsonProperty("batch_size") int batch,
      @JsonProperty("request_rate_per_second") double requestRate) {}

  /**
   * A workload.
   *
   * @param observedRate its moving average
   * @param plannedRate rate that the target was planned for
   * @param predictedP99Millis at the observed rate, with the target
   * @param measuredP99Millis of what runs
   * @param drift log ratio of the measured to the predicted 99th percentile
   * @param correction by which its times count as longer than its profile says
   * @param held why its rate could not be used
   */
  public record WatchedWorkload(
      @JsonProperty("name") String name,
      @JsonProperty("slo_latency_ms") double sloMillis,
      @JsonProperty("observed_rate_per_second") double observedRate,
      @JsonProperty("planned_rate_per_second") double plannedRate,
      @JsonProperty("predicted_p99_ms") @Nullable Double predictedP99Millis,
      @JsonProperty("measured_p99_ms") @Nullable Double measuredP99Millis,
      @JsonProperty("measured_mean_ms") @Nullable Double measuredMeanMillis,
      @JsonProperty("drift") @Nullable Double drift,
      @JsonProperty("correction") double correction,
      @JsonProperty("held") @Nullable String held) {}

  /**
   * A change.
   *
   * @param kind {@code batch}, {@code share}, {@code stop}, {@code start} or {@code move}
   * @param what it is
   * @param why with numbers
   */
  public record FleetChange(
      @JsonProperty("kind") String kind,
      @JsonProperty("workload") String workload,
      @JsonProperty("gpu") String gpu,
      @JsonProperty("what") String what,
      @JsonProperty("why") String why) {}

  /**
   * A step.
   *
   * @param action {@code start}, {@code set} or {@code stop}
   */
  public record FleetStep(
      @JsonProperty("action") String action,
      @JsonProperty("process") String process,
      @JsonProperty("workload") @Nullable String workload,
      @JsonProperty("gpu") @Nullable String gpu,
      @JsonProperty("share_percent") @Nullable Double sharePercent,
      @JsonProperty("batch_size") @Nullable Integer batch) {}

  /**
   * A workload that is not served in full.
   *
   * @param sentence all of it for people
   */
  public record FleetShortfall(
      @JsonProperty("workload") String workload,
      @JsonProperty("needed_rate_per_second") double needed,
      @JsonProperty("served_rate_per_second") double served,
      @JsonProperty("more_gpus") int moreGpus,
      @JsonProperty("device") String device,
      @JsonProperty("sentence") String sentence) {}
}
