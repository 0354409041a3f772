package dev.cotenant.placement;

import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one estimator leaves as used memory of a GPU, tenants that the series does not show yet
 * included.
 *
 * @param bytes used memory to reckon with
 * @param estimator which one says so
 */
record UsedMemory(MemorySize bytes, String estimator) {
  /** The estimator that trusts grants alone; the first stage of [ResAware, section 5]. */
  static final String AGNOSTIC = "agnostic";

  /*
   * Idea: [ResAware, section 5] asks three estimators in turn and schedules as soon as one leaves
   * enough room: grants (agnostic), the 80th percentile of a steady series (CBP), an AR(1) forecast
   * (PP). Read off a real cluster that is unsafe in two ways, both closed here:
   *  - memory that nobody granted (pods outside, leaks) is in the series but not in the grants, so
   *    agnostic never counts less than the window's peak plus the young tenants, nor less than a
   *    bound on the coming peak where a forecaster states one;
   *  - a tenant younger than the window is in the grants but not (fully) in the series, so its
   *    predicted peak is added to whatever a series-based estimator says, and none of these counts
   *    less than what is in use now.
   * Old tenants that are in the series are counted by it, young ones by their prediction: a young
   * tenant that has begun to allocate is counted twice, which errs on the safe side.
   */
  static List<UsedMemory> estimates(
      MemoryOutlook.Measured measured, List<Tenant> tenants, Instant now) {
    MemorySize granted = sumOfPeaks(tenants.stream());
    MemorySize young = sumOfPeaks(tenants.stream().filter(t -> isYoung(t, measured.window(), now)));
    MemorySize seen = measured.windowPeak().max(bound(measured.forecasts()));
    Stream<UsedMemory> agnostic =
        Stream.of(new UsedMemory(granted.max(seen.plus(young)), AGNOSTIC));
    Stream<UsedMemory> forecast =
        measured.forecasts().stream().flatMap(f -> ofForecast(f, measured.lastUsed(), young));
    return Stream.concat(agnostic, forecast).toList();
  }

  /** Whether the tenant came within the window, so that what is observed may not show it yet. */
  static boolean isYoung(Tenant tenant, Duration window, Instant now) {
    return tenant.since().isAfter(now.minus(window));
  }

  /** The largest bound that is stated to hold in some share of cases; zero where none is. */
  private static MemorySize bound(List<MemoryForecast> forecasts) {
    return forecasts.stream()
        .map(MemoryForecast::verdict)
        .filter(MemoryForecast.Applies.class::isInstance)
        .map(MemoryForecast.Applies.class::cast)
        .filter(applies -> applies.coverage() != null)
        .map(MemoryForecast.Applies::peakUpper)
        .reduce(MemorySize.ZERO, MemorySize::max);
  }

  /** The least; the earlier of equals. */
  static UsedMemory least(List<UsedMemory> estimates) {
    return estimates.stream().min(Comparator.comparing(UsedMemory::bytes)).orElseThrow();
  }

  private static Stream<UsedMemory> ofForecast(
      MemoryForecast forecast, MemorySize lastUsed, MemorySize young) {
    return switch (forecast.verdict()) {
      case MemoryForecast.Applies applies ->
          Stream.of(
              new UsedMemory(applies.peakUpper().max(lastUsed).plus(young), forecast.estimator()));
      case MemoryForecast.Passes _ -> Stream.empty();
    };
  }

  private static MemorySize sumOfPeaks(Stream<Tenant> tenants) {
    return tenants
        .map(tenant -> tenant.peakMemory().upper())
        .reduce(MemorySize.ZERO, MemorySize::plus);
  }
}
