package dev.cotenant.service.cluster;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.MetricQuery;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.lifetime.PodLifetimes;
import dev.cotenant.engine.rate.RateStore;
import dev.cotenant.engine.rate.RateStore.HourlyRate;
import dev.cotenant.engine.rate.RequestRates;
import dev.cotenant.forecast.prometheus.MetricsTimedOutException;
import dev.cotenant.forecast.prometheus.MetricsUnreachableException;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores the largest request rate in each whole hour of services that state none and name a
 * rate-metric. An hour without a fresh sample in five of six minutes is not stored. A later leader
 * reads the last hour again, which changes nothing. Called periodically by one thread.
 */
public final class HourlyRates {
  private static final Duration HOUR = Duration.ofHours(1);

  /** Averaging window of a rate, as for the guard. */
  private static final Duration WINDOW = Duration.ofMinutes(2);

  /** Fresh rates of an hour, one each minute. */
  private static final int MIN_SAMPLES = 50;

  /** Samples of an hour may arrive later. */
  private static final Duration DELAY = Duration.ofMinutes(2);

  /** Pods of one look; the rest come in the next. */
  private static final int MAX_PODS = 4;

  /** Pods of one configuration in an hour; others serve as much. */
  private static final int MAX_REPLICAS = 8;

  /** Pause after a query timeout. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final SpeedWatch.ValueReader metrics;
  private final Supplier<GateView> view;
  private final RateStore store;
  private final MeterRegistry meters;
  private final InstantSource clock;

  /** The last hour that was read of a pod, by uid. */
  private final Map<String, Instant> read = new HashMap<>();

  /** Rates that the store did not take. */
  private final List<HourlyRate> pending = new ArrayList<>();

  private Instant notBefore = Instant.MIN;

  /** A pod whose rate is read. */
  private record Measured(Holding held, MetricQuery query, Workload workload) {
    String namespace() {
      return held.pod().pod().namespace();
    }

    String uid() {
      return held.pod().uid();
    }
  }

  private record Configuration(String namespace, String workload) {}

  /**
   * @param view what the gate knows; without grants where this process does not lead
   */
  public HourlyRates(
      SpeedWatch.ValueReader metrics,
      Supplier<GateView> view,
      RateStore store,
      MeterRegistry meters,
      InstantSource clock) {
    this.metrics = metrics;
    this.view = view;
    this.store = store;
    this.meters = meters;
    this.clock = clock;
  }

  /**
   * Reads the last whole hour of some pods whose turn it is.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when rates cannot be stored; they are
   *     offered again at the next look
   */
  public void observe() {
    Instant now = clock.instant();
    Instant hour = now.minus(DELAY).truncatedTo(ChronoUnit.HOURS);
    List<Measured> pods = inTurns(view.get(), hour);
    read.keySet().retainAll(pods.stream().map(Measured::uid).toList());
    List<Measured> due =
        pods.stream().filter(pod -> !hour.equals(read.get(pod.uid()))).limit(MAX_PODS).toList();
    if (!now.isBefore(notBefore)) {
      for (Measured pod : due) {
        if (!isAnswered(pod, hour)) {
          notBefore = now.plus(PATIENCE);
          break;
        }
      }
    }
    if (!pending.isEmpty()) {
      int surplus = pending.size() - RateStore.OF_NAMESPACE;
      if (surplus > 0) {
        pending.subList(0, surplus).clear();
      }
      store.add(List.copyOf(pending));
      pending.clear();
    }
  }

  /** An hour whose query is too heavy is not read again; the server's own failure takes none. */
  private boolean isAnswered(Measured pod, Instant hour) {
    try {
      read(pod, hour);
      read.put(pod.uid(), hour);
      return true;
    } catch (MetricsTimedOutException _) {
      read.put(pod.uid(), hour);
      count("missing");
      return false;
    } catch (MetricsUnreachableException _) {
      return false;
    }
  }

  private void read(Measured pod, Instant hour) {
    OptionalDouble rate =
        metrics.read(
            pod.query().largestPromQl(pod.held().pod().pod(), WINDOW, HOUR, MIN_SAMPLES), hour);
    if (rate.isEmpty()) {
      count("missing");
    } else if (RequestRates.isRate(rate.getAsDouble())) {
      pending.add(
          new HourlyRate(
              pod.namespace(), PodLifetimes.key(pod.workload()), rate.getAsDouble(), hour));
      count("taken");
    } else {
      count("rejected");
    }
  }

  /**
   * One pod of each namespace, then the next of each, some of each configuration; in another order
   * every hour, so that no pod is always the last.
   */
  private static List<Measured> inTurns(GateView known, Instant hour) {
    Map<Configuration, Integer> replicas = new HashMap<>();
    Map<String, Integer> turns = new HashMap<>();
    record Turn(int number, Measured pod) {}
    List<Turn> all = new ArrayList<>();
    known.granted().values().stream()
        .sorted(Comparator.comparingInt(held -> Objects.hash(held.pod().uid(), hour)))
        .forEach(held -> {
          @Nullable Measured pod = measured(held, hour);
          if (pod != null
              && replicas.merge(
                      new Configuration(pod.namespace(), PodLifetimes.key(pod.workload())),
                      1,
                      Integer::sum)
                  <= MAX_REPLICAS) {
            all.add(new Turn(turns.merge(pod.namespace(), 1, Integer::sum), pod));
          }
        });
    return all.stream().sorted(Comparator.comparingInt(Turn::number)).map(Turn::pod).toList();
  }

  /** Null where it states a rate or names no metric, or did not run in nearly all of the hour. */
  private static @Nullable Measured measured(Holding held, Instant hour) {
    @Nullable Instant start = held.pod().life().startedAt();
    @Nullable MetricQuery query = SpeedQueries.rateMetric(held).orElse(null);
    @Nullable Workload workload = GrantReader.workload(held.pod().request()).orElse(null);
    return held.state() == GrantState.OBSERVED
            && start != null
            && !start.isAfter(hour.minus(Duration.ofMinutes(MIN_SAMPLES)))
            && query != null
            && workload != null
            && workload.settings().mode() == ExecutionMode.INFERENCE
            && workload.settings().load().equals(Load.UNSTATED)
        ? new Measured(held, query, workload)
        : null;
  }

  private void count(String outcome) {
    meters.counter("cotenant.rates.read", "outcome", outcome).increment();
  }
}
