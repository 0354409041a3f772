package dev.cotenant.service.cluster;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The grants of a GPU by the serving predictor. Utilization, memory and coverage count; slowdown is
 * not judged again. Memory counts where a peak is above the granted one: measurements may leave
 * capacity where the sum of all bounds would not.
 *
 * @param predictor label of the version
 * @param summedUtilizationPercent sum of the upper bounds of all tenants, granted ones where a
 *     workload is not predicted anew
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

  /** What all tenants need, as far as predicted anew. */
  private record Sums(GpuSnapshot gpu, double utilizationPercent, MemorySize memory, int tenants) {
    static Sums of(GpuSnapshot gpu, Map<String, Prediction> now) {
      double percent = 0;
      MemorySize memory = MemorySize.ZERO;
      List<Tenant> tenants = sharing(gpu);
      for (Tenant tenant : tenants) {
        @Nullable Prediction prediction = now.get(tenant.name());
        percent +=
            (prediction == null ? tenant.utilization() : prediction.utilization())
                .upper()
                .percent();
        memory =
            memory.plus(
                (prediction == null ? tenant.peakMemory() : prediction.peakMemory()).upper());
      }
      return new Sums(gpu, percent, memory, tenants.size());
    }
  }

  private static List<Tenant> sharing(GpuSnapshot gpu) {
    return gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> shared) ? shared : List.of();
  }

  /**
   * Judges a GPU.
   *
   * @param now predictions by pod
   * @param limits of each of these pods
   */
  static GpuReview of(
      String version,
      GpuSnapshot gpu,
      Map<String, Prediction> now,
      Map<String, SharingLimits> limits) {
    Sums sums = Sums.of(gpu, now);
    Map<String, GrantReview> grants = new TreeMap<>();
    now.forEach((pod, prediction) ->
        grants.put(
            pod,
            new GrantReview(
                prediction,
                gpu.tenancy() instanceof Tenancy.Shared
                    ? shared(sums, prediction, pod, limits.getOrDefault(pod, SharingLimits.DEFAULT))
                    : whole(gpu, prediction))));
    return new GpuReview(version, sums.utilizationPercent, grants);
  }

  private static List<String> shared(Sums sums, Prediction now, String pod, SharingLimits limits) {
    List<String> reasons = new ArrayList<>();
    if (!limits.trust(now)) {
      reasons.add(
          "bounds hold in "
              + now.coverage().map(String::valueOf).orElse("an unknown share")
              + " of cases, minimum "
              + limits.leastCoverage());
    }
    double most = limits.summedUtilization().percent();
    if (sums.utilizationPercent > most + ROUNDING_PERCENT * sums.tenants) {
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
