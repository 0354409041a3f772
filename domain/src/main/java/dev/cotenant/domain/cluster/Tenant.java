package dev.cotenant.domain.cluster;

import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A workload that holds capacity on a GPU.
 *
 * @param name namespace and pod, {@code team-a/resnet50-train}
 * @param utilization what it was predicted to keep busy
 * @param peakMemory what it was predicted to peak at
 * @param slowdownLimit the most it was promised to be slowed down
 * @param since when its capacity was granted; until a full window of samples has passed, the
 *     used-memory series may not show it yet
 * @param risk of a larger slowdown that it takes
 * @param run how it runs and what its graph says; null where that is not known
 * @param profiledUntil until when at the latest it is measured alone, and its GPU is closed to
 *     others; null where it is not being measured
 * @param guardedSince since when its GPU is closed to others, because a tenant there was measured
 *     beyond its promise; null where it is not
 */
public record Tenant(
    String name,
    UtilizationEstimate utilization,
    MemoryEstimate peakMemory,
    Slowdown slowdownLimit,
    RiskLimit risk,
    Instant since,
    @Nullable GraphRun run,
    @Nullable Instant profiledUntil,
    @Nullable Instant guardedSince) {
  /** Whose GPU no guard has closed. */
  public Tenant(
      String name,
      UtilizationEstimate utilization,
      MemoryEstimate peakMemory,
      Slowdown slowdownLimit,
      RiskLimit risk,
      Instant since,
      @Nullable GraphRun run,
      @Nullable Instant profiledUntil) {
    this(name, utilization, peakMemory, slowdownLimit, risk, since, run, profiledUntil, null);
  }

  /** That is not being profiled. */
  public Tenant(
      String name,
      UtilizationEstimate utilization,
      MemoryEstimate peakMemory,
      Slowdown slowdownLimit,
      RiskLimit risk,
      Instant since,
      @Nullable GraphRun run) {
    this(name, utilization, peakMemory, slowdownLimit, risk, since, run, null);
  }

  /** Without a budget of risk. */
  public Tenant(
      String name,
      UtilizationEstimate utilization,
      MemoryEstimate peakMemory,
      Slowdown slowdownLimit,
      Instant since,
      @Nullable GraphRun run) {
    this(name, utilization, peakMemory, slowdownLimit, RiskLimit.NONE, since, run);
  }

  /** Whose graph is not known. */
  public Tenant(
      String name,
      UtilizationEstimate utilization,
      MemoryEstimate peakMemory,
      Slowdown slowdownLimit,
      Instant since) {
    this(name, utilization, peakMemory, slowdownLimit, since, null);
  }

  /** The same, measured alone until then at the latest; null where it is not. */
  public Tenant profiledUntil(@Nullable Instant until) {
    return new Tenant(
        name, utilization, peakMemory, slowdownLimit, risk, since, run, until, guardedSince);
  }

  /** The same, its GPU closed since then; null where it is not. */
  public Tenant guardedSince(@Nullable Instant closed) {
    return new Tenant(
        name, utilization, peakMemory, slowdownLimit, risk, since, run, profiledUntil, closed);
  }

  /** Its namespace; empty where its name has none. */
  public String namespace() {
    return name.substring(0, Math.max(0, name.indexOf('/')));
  }
}
