package dev.cotenant.service.cluster;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.ServicePartition;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.placement.PartitionCheck;
import dev.cotenant.placement.SharingDecider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The grants of a GPU by the serving predictor. Utilization, memory, slowdown and coverage count.
 * Memory counts where a peak is above the granted one: measurements may leave capacity where the
 * sum of all bounds would not.
 *
 * @param predictor label of the version
 * @param summedUtilizationPercent sum of the upper bounds of all tenants, granted ones where a
 *     workload is not predicted again
 * @param grants predictions of now and broken limits, by pod
 */
public record GpuReview(
    String predictor, double summedUtilizationPercent, Map<String, GrantReview> grants) {
  /** The granted bounds are rounded up to a tenth of a percent. */
  private static final double ROUNDING_PERCENT = 0.1;

  public GpuReview {
    grants = Collections.unmodifiableMap(new TreeMap<>(grants));
  }

  /**
   * A grant.
   *
   * @param now the prediction
   * @param reasons each broken limit with its numbers; empty where it would be granted
   */
  public record GrantReview(Prediction now, List<String> reasons) {
    public GrantReview {
      reasons = List.copyOf(reasons);
    }
  }

  /** Broken limits of all grants, each once. */
  public List<String> reasons() {
    return grants.values().stream().flatMap(one -> one.reasons().stream()).distinct().toList();
  }

  /** What all tenants need, as far as predicted again. */
  private record Sums(
      GpuSnapshot gpu, double utilizationPercent, MemorySize memory, List<Tenant> tenants) {
    static Sums of(GpuSnapshot gpu, Map<String, Prediction> now) {
      double percent = 0;
      MemorySize memory = MemorySize.ZERO;
      List<Tenant> tenants = new ArrayList<>();
      for (Tenant granted : sharing(gpu)) {
        Tenant tenant = predicted(granted, now.get(granted.name()));
        tenants.add(tenant);
        percent += tenant.utilization().upper().percent();
        memory = memory.plus(tenant.peakMemory().upper());
      }
      return new Sums(gpu, percent, memory, tenants);
    }

    private static Tenant predicted(Tenant granted, @Nullable Prediction now) {
      return now == null
          ? granted
          : new Tenant(
                  granted.name(),
                  now.utilization(),
                  now.peakMemory(),
                  granted.slowdownLimit(),
                  granted.risk(),
                  granted.since(),
                  now.run().orElse(null))
              .inPartition(partition(granted, now));
    }

    /** By the profile of now, in the share that was granted. */
    private static @Nullable ServicePartition partition(Tenant granted, Prediction now) {
      ServicePartition before = granted.partition();
      ServicePartition profiled = now.partition();
      return before == null || profiled == null ? null : profiled.in(before.share());
    }
  }

  private static List<Tenant> sharing(GpuSnapshot gpu) {
    return gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> shared) ? shared : List.of();
  }

  /**
   * Judges a GPU.
   *
   * @param pods whose workloads are predicted again, by name
   * @param decider predicts slowdown
   */
  static GpuReview of(
      String version, GpuSnapshot gpu, Map<String, Reviewed> pods, SharingDecider decider) {
    Map<String, Prediction> now = new TreeMap<>();
    pods.forEach((pod, reviewed) -> now.put(pod, reviewed.now));
    Sums sums = Sums.of(gpu, now);
    SharingDecider.Standing standing = decider.standing(gpu.device().id(), sums.tenants);
    Map<String, GrantReview> grants = new TreeMap<>();
    pods.forEach((pod, reviewed) -> {
      List<String> reasons = new ArrayList<>();
      if (gpu.tenancy() instanceof Tenancy.Shared) {
        reasons.addAll(shared(sums, pod, reviewed));
        reasons.addAll(slowed(gpu, standing));
      } else {
        reasons.addAll(whole(gpu, reviewed.now));
      }
      grants.put(pod, new GrantReview(reviewed.now, reasons));
    });
    return new GpuReview(version, sums.utilizationPercent, grants);
  }

  /** A workload's prediction of now and the limits of its namespace. */
  record Reviewed(Prediction now, SharingLimits limits) {}

  private static List<String> slowed(GpuSnapshot gpu, SharingDecider.Standing standing) {
    return standing.isExceeded()
        ? List.of(
            "slowdown on "
                + gpu.uuid()
                + " is predicted as "
                + standing.slowdown()
                + ", limit "
                + standing.limit())
        : List.of();
  }

  private static List<String> shared(Sums sums, String pod, Reviewed reviewed) {
    Prediction now = reviewed.now;
    SharingLimits limits = reviewed.limits;
    List<String> reasons = new ArrayList<>();
    if (!limits.trust(now)) {
      reasons.add(
          "bounds hold in "
              + now.coverage().map(String::valueOf).orElse("an unknown share")
              + " of cases, minimum "
              + limits.leastCoverage());
    }
    double most = limits.summedUtilization().percent();
    List<@Nullable ServicePartition> partitions = new ArrayList<>();
    sums.tenants.forEach(tenant -> partitions.add(tenant.partition()));
    if (sums.utilizationPercent > most + ROUNDING_PERCENT * sums.tenants.size()
        && !PartitionCheck.isPartitioned(partitions, limits)) {
      reasons.add(
          String.format(
              Locale.ROOT,
              "upper bounds of utilization on %s sum to %.1f %%, limit %.1f %%",
              sums.gpu.uuid(),
              sums.utilizationPercent,
              most));
    }
    MemorySize usable = sums.gpu.capacity().times(1 - limits.memoryHeadroomFraction());
    if (isAboveGranted(sums.gpu, now, pod) && !sums.memory.isAtMost(usable)) {
      reasons.add(
          "upper bounds of peak memory on "
              + sums.gpu.uuid()
              + " sum to "
              + sums.memory
              + ", limit "
              + usable);
    }
    return reasons;
  }

  private static boolean isAboveGranted(GpuSnapshot gpu, Prediction now, String pod) {
    return sharing(gpu).stream()
        .filter(tenant -> tenant.name().equals(pod))
        .anyMatch(tenant -> !now.peakMemory().upper().isAtMost(tenant.peakMemory().upper()));
  }

  private static List<String> whole(GpuSnapshot gpu, Prediction now) {
    return now.peakMemory().mean().isAtMost(gpu.capacity())
        ? List.of()
        : List.of(
            "expected peak memory is "
                + now.peakMemory().mean()
                + ", "
                + gpu.uuid()
                + " has "
                + gpu.capacity());
  }
}
