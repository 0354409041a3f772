package dev.cotenant.placement;

import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one estimator leaves as used memory of a GPU, tenants that the series does not show yet
 * included.
 *
 * @param bytes used memory that counts
 * @param estimator which one says so
 * @param newTenants part of it for young tenants; null without any
 */
record UsedMemory(MemorySize bytes, String estimator, @Nullable MemorySize newTenants) {
  /** The estimator that trusts grants alone; the first stage of [ResAware, section 5]. */
  static final String AGNOSTIC = "agnostic";

  /*
   * Idea: [ResAware, section 5] tries three estimators in turn and schedules as soon as one leaves
   * enough room: grants (agnostic), the 80th percentile of a steady series (CBP), an AR(1) forecast
   * (PP). Read off a real cluster that is unsafe in two ways, both closed here:
   *  - memory without a grant (unmanaged pods, leaks) is in the series but not in the grants, so
   *    agnostic never counts less than the window's peak plus the young tenants, nor less than a
   *    bound on the coming peak where a forecaster states one;
   *  - a tenant younger than the window is in the grants but not (fully) in the series, so its
   *    predicted peak is added to whatever a series-based estimator says, and none of these counts
   *    less than what is in use now.
   * Old tenants that are in the series are counted by it, young ones by their prediction: a young
   * tenant that has begun to allocate is counted twice, which errs on the safe side. The series is
   * that of the GPU, not of its tenants: how much of it a young tenant has allocated is unknown, and
   * the larger of prediction and series would give away what others allocated since it came. A
   * tenant of which it is known that samples show all of its memory, such as a server that serves,
   * counts as an old one.
   *
   * A forecast bounds the coming minutes, not the stay, and holds in some 95 of 100 cases: where there
   * is a budget for running out of memory, grants count, whose bounds hold at the level it asks for.
   */
  static List<UsedMemory> estimates(
      MemoryObservation.Measured measured, List<Tenant> tenants, Instant now, Newcomer newcomer) {
    Duration beyond = measured.grantsBeyond();
    List<UsedMemory> all =
        estimates(
            measured,
            tenants,
            now,
            beyond == null || !newcomer.staysBeyond(beyond)
                ? Staying.NONE
                : Staying.of(tenants, now, beyond));
    return newcomer.limits().bounds().bindsMemory() ? List.of(all.getFirst()) : all;
  }

  /** The least estimate for any newcomer: one that leaves soon, or one that stays. */
  static MemorySize leastForAny(
      MemoryObservation.Measured measured, List<Tenant> tenants, Instant now) {
    Duration beyond = measured.grantsBeyond();
    MemorySize leaving = least(estimates(measured, tenants, now, Staying.NONE)).bytes();
    if (beyond == null) {
      return leaving;
    }
    Staying staying = Staying.of(tenants, now, beyond);
    MemorySize stays = least(estimates(measured, tenants, now, staying)).bytes();
    return beyond.isZero() || stays.isAtMost(leaving) ? stays : leaving;
  }

  /**
   * Grants of tenants that stay beside the newcomer, and of those that do not.
   *
   * @param all whether every tenant stays
   */
  private record Staying(MemorySize grants, MemorySize leaving, boolean all) {
    /** No grant counts for longer than the series takes to show its tenant. */
    static final Staying NONE = new Staying(MemorySize.ZERO, MemorySize.ZERO, false);

    static Staying of(List<Tenant> tenants, Instant now, Duration beyond) {
      MemorySize grants = MemorySize.ZERO;
      MemorySize leaving = MemorySize.ZERO;
      boolean all = true;
      for (Tenant tenant : tenants) {
        MemorySize peak = tenant.peakMemory().upper();
        boolean stays = tenant.staysBeyond(now, beyond);
        grants = stays ? grants.plus(peak) : grants;
        leaving = stays ? leaving : leaving.plus(peak);
        all &= stays;
      }
      return new Staying(grants, leaving, all);
    }

    /**
     * Memory with the grants reserved in addition to a bound on the series: leaving tenants are
     * assumed not to grow.
     */
    MemorySize reserved(MemorySize seen) {
      return grants.equals(MemorySize.ZERO) ? seen : seen.max(grants.plus(seen.min(leaving)));
    }
  }

  private static List<UsedMemory> estimates(
      MemoryObservation.Measured measured, List<Tenant> tenants, Instant now, Staying staying) {
    MemorySize granted = MemorySize.ZERO;
    MemorySize young = MemorySize.ZERO;
    boolean isYoungAlone = true;
    Instant windowBegan = now.minus(measured.window());
    for (Tenant tenant : tenants) {
      MemorySize peak = tenant.peakMemory().upper();
      granted = granted.plus(peak);
      boolean isYoung = isYoung(tenant, windowBegan) && !tenant.isShown();
      young = isYoung ? young.plus(peak) : young;
      isYoungAlone &= isYoung;
    }
    MemorySize seen = measured.windowPeak().max(bound(measured.forecasts()));
    if (staying.all) {
      MemorySize toCome =
          isYoungAlone ? toCome(measured.windowPeak(), tenants, granted, now) : young;
      return List.of(of(granted.max(seen.plus(toCome)), AGNOSTIC, seen, toCome));
    }
    List<UsedMemory> estimates = new ArrayList<>(1 + measured.forecasts().size());
    estimates.add(of(granted.max(seen.plus(young)), AGNOSTIC, seen, young));
    for (MemoryForecast forecast : measured.forecasts()) {
      if (forecast.result() instanceof MemoryForecast.Applies applies) {
        MemorySize most = applies.peakUpper().max(measured.lastUsed());
        estimates.add(of(staying.reserved(most.plus(young)), forecast.estimator(), most, young));
      }
    }
    return estimates;
  }

  /** Young tenants are a part of it unless grants that stay count for more. */
  private static UsedMemory of(
      MemorySize bytes, String estimator, MemorySize seen, MemorySize young) {
    boolean isSum = !young.equals(MemorySize.ZERO) && bytes.equals(seen.plus(young));
    return new UsedMemory(bytes, estimator, isSum ? young : null);
  }

  /**
   * Additional memory of young tenants on a GPU without old ones, if grants stay: if the grants of
   * started tenants cover the used memory, only the other grants. Grants are bounds of peaks over
   * the whole stay; whose memory is in use the series of a GPU does not say, but it is of no pod
   * that has not started.
   */
  private static MemorySize toCome(
      MemorySize windowPeak, List<Tenant> tenants, MemorySize granted, Instant now) {
    MemorySize started = MemorySize.ZERO;
    for (Tenant tenant : tenants) {
      started = tenant.since().isAfter(now) ? started : started.plus(tenant.peakMemory().upper());
    }
    return windowPeak.isAtMost(started) ? granted.minusOrZero(started) : granted;
  }

  /** Whether the tenant came within the window, so that what is observed may not show it yet. */
  static boolean isYoung(Tenant tenant, Instant windowBegan) {
    return tenant.since().isAfter(windowBegan);
  }

  /** The largest bound that is stated to hold in some share of cases; zero where none is. */
  private static MemorySize bound(List<MemoryForecast> forecasts) {
    MemorySize most = MemorySize.ZERO;
    for (MemoryForecast forecast : forecasts) {
      if (forecast.result() instanceof MemoryForecast.Applies applies
          && applies.coverage() != null) {
        most = most.max(applies.peakUpper());
      }
    }
    return most;
  }

  /** The least; the earlier of equals. */
  static UsedMemory least(List<UsedMemory> estimates) {
    return Collections.min(estimates, Comparator.comparing(UsedMemory::bytes));
  }
}
