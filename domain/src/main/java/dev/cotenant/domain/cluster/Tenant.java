package dev.cotenant.domain.cluster;

import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.ServicePartition;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A workload that holds capacity on a GPU.
 *
 * @param name namespace and pod, {@code team-a/resnet50-train}
 * @param utilization predicted utilization
 * @param peakMemory predicted peak memory
 * @param slowdownLimit its slowdown limit
 * @param since when its capacity was granted; until a full window of samples has passed, the
 *     used-memory series may not show it yet
 * @param risk of a larger slowdown that it takes
 * @param run how it runs and what its graph says; null where that is not known
 * @param profiledUntil until when at the latest it is measured alone, and its GPU is closed to
 *     others; null where it is not being measured
 * @param guardedSince since when its GPU is closed to others, because a tenant there was measured
 *     beyond its limit; null where it is not
 * @param stay how long it is expected to stay from {@code since} on; null where that is not known
 * @param isShown whether samples show all of its memory, however young it is
 * @param partition the profiled service in its partition; null where it was not profiled
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
    @Nullable Instant guardedSince,
    @Nullable Duration stay,
    boolean isShown,
    @Nullable ServicePartition partition) {
  /** Of which nothing more is known. */
  public Tenant(
      String name,
      UtilizationEstimate utilization,
      MemoryEstimate peakMemory,
      Slowdown slowdownLimit,
      RiskLimit risk,
      Instant since,
      @Nullable GraphRun run) {
    this(
        name,
        utilization,
        peakMemory,
        slowdownLimit,
        risk,
        since,
        run,
        null,
        null,
        null,
        false,
        null);
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
    return with(until, guardedSince, stay, isShown, partition);
  }

  /** The same, its GPU closed since then; null where it is not. */
  public Tenant guardedSince(@Nullable Instant closed) {
    return with(profiledUntil, closed, stay, isShown, partition);
  }

  /** The same, expected to stay for so long; null where that is not known. */
  public Tenant stayingFor(@Nullable Duration expected) {
    return with(profiledUntil, guardedSince, expected, isShown, partition);
  }

  /** The same as a profiled service in this partition; null where it was not profiled. */
  public Tenant inPartition(@Nullable ServicePartition known) {
    return with(profiledUntil, guardedSince, stay, isShown, known);
  }

  /** The same, whether samples show all of its memory. */
  public Tenant shown(boolean all) {
    return with(profiledUntil, guardedSince, stay, all, partition);
  }

  private Tenant with(
      @Nullable Instant until,
      @Nullable Instant closed,
      @Nullable Duration expected,
      boolean shown,
      @Nullable ServicePartition known) {
    return new Tenant(
        name,
        utilization,
        peakMemory,
        slowdownLimit,
        risk,
        since,
        run,
        until,
        closed,
        expected,
        shown,
        known);
  }

  /**
   * Whether it is expected to be there for longer than {@code time} from {@code now} on. Nothing
   * more is known of one that has stayed longer than expected.
   */
  public boolean staysBeyond(Instant now, Duration time) {
    Duration expected = stay;
    if (expected == null) {
      return true;
    }
    Duration passed = since.isAfter(now) ? Duration.ZERO : Duration.between(since, now);
    Duration left = expected.minus(passed);
    return !left.isPositive() || left.compareTo(time) > 0;
  }

  /** Its namespace; empty where its name has none. */
  public String namespace() {
    return name.substring(0, Math.max(0, name.indexOf('/')));
  }
}
