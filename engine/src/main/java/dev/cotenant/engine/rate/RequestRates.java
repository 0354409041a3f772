package dev.cotenant.engine.rate;

import dev.cotenant.domain.prediction.LoadMeasurements;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.lifetime.PodLifetimes;
import dev.cotenant.engine.rate.RateStore.HourlyRate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * How many requests a pod of a workload serves at most, from the stored hours of its namespace: the
 * largest of the last week, once there are 24 hours. Hours that are more than twenty times the
 * third largest count only when three are. Inference that states no request rate is predicted at
 * this one; a stated rate counts as it is. While the store is down the last ones stay, for a week.
 * Thread safe.
 */
public final class RequestRates implements LoadMeasurements {
  /** Hours that a rate rests on at least: loads follow the day. */
  static final int MIN_HOURS = 24;

  /** Older hours say nothing of the next. */
  static final Duration MAX_AGE = Duration.ofDays(7);

  /** A rate that is beyond the third largest by more is a fault until there are three. */
  static final double ABSURD = 20;

  /** Requests per second, 3.6 an hour: a smaller rate says nothing. */
  static final double MIN_RATE = 1e-3;

  private static final int FEW = 3;
  private static final Known NOTHING = new Known(Long.MIN_VALUE, Instant.MIN, Map.of());

  private final RateStore store;
  private final InstantSource clock;
  private volatile Known known = NOTHING;

  private record Key(String namespace, String workload) {}

  /** Rates derived from one state of the store in one hour. */
  private record Known(long state, Instant hour, Map<Key, Double> largest) {}

  /** Knows nothing until it is refreshed. */
  public RequestRates(RateStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  /**
   * Reads the stored hours again where they changed, or where an hour has passed.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when the store cannot be reached
   */
  public synchronized void refresh() {
    Instant hour = clock.instant().truncatedTo(ChronoUnit.HOURS);
    long state = store.state();
    if (state == known.state && hour.equals(known.hour)) {
      return;
    }
    Instant oldest = hour.minus(MAX_AGE);
    Map<Key, List<HourlyRate>> hours =
        store.all().stream()
            .filter(rate -> isRate(rate.perSecond()))
            .filter(rate -> rate.hour().isAfter(oldest) && !rate.hour().isAfter(clock.instant()))
            .collect(Collectors.groupingBy(rate -> new Key(rate.namespace(), rate.workload())));
    Map<Key, Double> largest = new HashMap<>();
    hours.forEach((key, all) -> {
      double rate = largest(all);
      if (rate >= MIN_RATE) {
        largest.put(key, rate);
      }
    });
    known = new Known(state, hour, largest);
  }

  /** Whether a number can be a rate: finite, from 0 to what no GPU serves. */
  public static boolean isRate(double perSecond) {
    return perSecond >= 0 && perSecond <= Load.RequestRate.MAX;
  }

  /** 0 where too little is known. */
  private static double largest(List<HourlyRate> hours) {
    if (hours.size() < MIN_HOURS) {
      return 0;
    }
    double[] sorted = hours.stream().mapToDouble(HourlyRate::perSecond).sorted().toArray();
    double most = ABSURD * sorted[sorted.length - FEW];
    return Arrays.stream(sorted).filter(rate -> rate <= most).max().orElse(0);
  }

  @Override
  public Workload withLoad(String namespace, Workload workload) {
    RunSettings settings = workload.settings();
    if (settings.mode() != ExecutionMode.INFERENCE || !settings.load().equals(Load.UNSTATED)) {
      return workload;
    }
    OptionalDouble rate = of(namespace, workload);
    return rate.isEmpty()
        ? workload
        : new Workload(
            workload.model(),
            workload.batchSize(),
            settings.withLoad(
                new Load.RequestRate(rate.getAsDouble(), Load.RequestRate.Source.MEASURED)),
            workload.engine());
  }

  /**
   * Requests per second of one pod of a workload of a namespace; empty where too few hours of it
   * are known, or where the newest is more than a week old.
   */
  OptionalDouble of(String namespace, Workload workload) {
    Known now = known;
    if (now.largest.isEmpty() || now.hour.plus(MAX_AGE).isBefore(clock.instant())) {
      return OptionalDouble.empty();
    }
    Double rate = now.largest.get(new Key(namespace, PodLifetimes.key(workload)));
    return rate == null ? OptionalDouble.empty() : OptionalDouble.of(rate);
  }
}
