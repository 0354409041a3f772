package dev.cotenant.simulator.replay;

import dev.cotenant.simulator.policy.Policies;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A replay: its recording, measured share of it, and the policies' outcomes.
 *
 * @param recorded the recording in numbers
 * @param confidence how much of it was measured
 * @param outcomes the baseline first
 * @param findings what could not be reconstructed
 */
public record ReplayReport(
    Recorded recorded,
    Confidence confidence,
    List<PolicyOutcome> outcomes,
    List<Recording.Finding> findings) {
  /** The product's own policy. */
  public static final String PRODUCT = "decide";

  public ReplayReport {
    outcomes = List.copyOf(outcomes);
    findings = List.copyOf(findings);
  }

  /**
   * The recording in numbers.
   *
   * @param source where it comes from
   * @param jobs that are replayed
   * @param gpus of the fleet
   * @param gpuHours that jobs held
   * @param waits of the recorded scheduler
   * @param slowdowns where slowdowns beside others come from
   */
  public record Recorded(
      String source,
      long jobs,
      long gpus,
      double gpuHours,
      PolicyOutcome.Waits waits,
      String slowdowns) {}

  /**
   * Shares of jobs in percent. Jobs of which utilization or peak memory was not measured, and jobs
   * of several GPUs, hold whole GPUs under every policy.
   *
   * @param utilizationPercent with measured utilization
   * @param memoryPercent with measured peak memory
   * @param durationPercent whose start and end lie in the recording
   * @param configurationPercent with a model or image
   * @param shareablePercent shareable by policies
   * @param shareableGpuHoursPercent their share of GPU hours
   */
  public record Confidence(
      double utilizationPercent,
      double memoryPercent,
      double durationPercent,
      double configurationPercent,
      double shareablePercent,
      double shareableGpuHoursPercent) {}

  /** The outcome of the product's own policy, else of the last one. */
  public PolicyOutcome proposed() {
    return outcomes.stream()
        .filter(one -> one.policy().equals(PRODUCT))
        .findFirst()
        .orElse(outcomes.getLast());
  }

  /** GPU hours that a policy saves beside the baseline; negative where it needs more. */
  public PolicyOutcome.Range saved(PolicyOutcome outcome) {
    return outcome.gpuHours().below(baselineGpuHours());
  }

  /** GPU hours of the policy that others are compared with; the same in every draw. */
  public double baselineGpuHours() {
    return outcomes.getFirst().gpuHours().mean();
  }

  /**
   * Savings, harm and confidence in three sentences.
   *
   * @param price of a GPU hour; 0: no money
   */
  public String answer(double price) {
    return new Answer(this, price).sentences();
  }

  /**
   * A row for each policy, units in the keys.
   *
   * @param price of a GPU hour; 0: no money
   */
  public List<Map<String, Object>> rows(double price) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (PolicyOutcome outcome : outcomes) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("policy", outcome.policy());
      put(row, "gpus_needed", outcome.gpusNeeded());
      put(row, "gpu_hours", outcome.gpuHours());
      PolicyOutcome.Range saved = saved(outcome);
      put(row, "gpu_hours_saved", saved);
      if (price > 0) {
        put(row, "money_saved", saved.map(hours -> hours * price));
      }
      row.put("waiting_jobs", outcome.waits().jobs());
      row.put("mean_wait_seconds", rounded(outcome.waits().meanSeconds()));
      row.put("longest_wait_seconds", rounded(outcome.waits().longestSeconds()));
      row.put("unplaced_jobs", outcome.waits().unplaced());
      put(row, "out_of_memory_jobs", outcome.harm().outOfMemory());
      put(row, "slowed_jobs", outcome.harm().slowed());
      put(row, "mean_slowdown", outcome.harm().slowdown());
      put(row, "slowdown_p95", outcome.harm().slowdown95());
      rows.add(row);
    }
    return rows;
  }

  private static void put(Map<String, Object> row, String key, PolicyOutcome.Range range) {
    row.put(key, rounded(range.mean()));
    row.put(key + "_lowest", rounded(range.lowest()));
    row.put(key + "_highest", rounded(range.highest()));
  }

  private static double rounded(double value) {
    return Math.rint(value * 1_000) / 1_000;
  }

  /**
   * The recording, its confidence and findings; units in the keys.
   *
   * @param price of a GPU hour; 0: no money
   */
  public Map<String, Object> summary(double price) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("answer", answer(price));
    all.put("source", recorded.source());
    all.put("jobs", recorded.jobs());
    all.put("gpus", recorded.gpus());
    all.put("recorded_gpu_hours", rounded(recorded.gpuHours()));
    all.put("recorded_waiting_jobs", recorded.waits().jobs());
    all.put("recorded_mean_wait_seconds", rounded(recorded.waits().meanSeconds()));
    all.put("recorded_longest_wait_seconds", rounded(recorded.waits().longestSeconds()));
    all.put("utilization_measured_percent", rounded(confidence.utilizationPercent()));
    all.put("memory_measured_percent", rounded(confidence.memoryPercent()));
    all.put("duration_measured_percent", rounded(confidence.durationPercent()));
    all.put("configuration_known_percent", rounded(confidence.configurationPercent()));
    all.put("shareable_jobs_percent", rounded(confidence.shareablePercent()));
    all.put("shareable_gpu_hours_percent", rounded(confidence.shareableGpuHoursPercent()));
    all.put("slowdown_model", recorded.slowdowns());
    all.put(
        "most_harmed",
        proposed().harm().configurations().stream()
            .map(one ->
                Map.of(
                    "configuration", one.configuration(),
                    "jobs", one.jobs(),
                    "harmed_jobs", rounded(one.harmed())))
            .toList());
    Map<String, String> rules = new LinkedHashMap<>();
    outcomes.forEach(
        outcome -> rules.put(outcome.policy(), Policies.named(outcome.policy()).rule()));
    all.put("rules", rules);
    all.put(
        "findings",
        findings.stream()
            .map(finding -> Map.of("count", finding.count(), "text", finding.subject()))
            .toList());
    return all;
  }
}
