package dev.cotenant.service.cluster;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.forecast.prometheus.MetricsTimedOutException;
import dev.cotenant.forecast.prometheus.MetricsUnreachableException;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Reads speeds and latencies of pods that name a metric or whose policy has a query. A speed is
 * reported like those that callers report, twice for each set of neighbours; beside others both go
 * to the guard, once a minute. A loop of its own looks; it stops with {@link #close}.
 */
public final class SpeedWatch implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(SpeedWatch.class);
  private static final Duration SILENT_AT_MOST = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Interval between two readings for the guard, each a mean over {@link #GUARD_WINDOW}. */
  static final Duration GUARD_EVERY = Duration.ofMinutes(1);

  private static final Duration GUARD_WINDOW = Duration.ofMinutes(2);

  /** Time in which a pod that has started loads and compiles, which is none of its speed. */
  private static final Duration WARM_UP = Duration.ofMinutes(2);

  /** One speed is often off, and further ones of the same neighbours say little. */
  private static final int REPORTS = 2;

  /** Queries of one round, and the time after which none begins; the rest come in the next. */
  private static final int MAX_QUERIES = 100;

  private static final Duration MAX_ROUND = Duration.ofSeconds(20);

  /** Consecutive query timeouts after which the server is considered unreachable. */
  private static final int MAX_TIMED_OUT = 2;

  private final ValueReader metrics;
  private final Supplier<GateView> view;
  private final SpeedReports reports;
  private final GuardSamples guard;
  private final MeterRegistry meters;
  private final InstantSource clock;
  private final SpeedQueries queries;
  private final Map<String, Watched> byUid = new HashMap<>();

  /** Pods whose last reading for the guard is twice as old as it should be. */
  private final AtomicInteger overdue = new AtomicInteger();

  private String lastFailure = "";
  private @Nullable Loop loop;

  /**
   * Reads the number that an expression has now; empty where there is none. May block, and throws
   * MetricsTimedOutException where the server gives no answer in time, and
   * MetricsUnreachableException where it gives none at all.
   */
  @FunctionalInterface
  public interface ValueReader {
    /** Reads nothing. */
    ValueReader NONE = (_, _) -> OptionalDouble.empty();

    OptionalDouble read(String expression, Instant at);
  }

  /**
   * A pod, its neighbours, and its readings with them.
   *
   * @param beside names of all tenants
   * @param reportAt when the next speed is to be reported
   * @param reports speeds that were reported
   * @param readAt the last reading for the guard
   */
  private record Watched(Set<String> beside, Instant reportAt, int reports, Instant readAt) {
    Watched {
      beside = Set.copyOf(beside);
    }
  }

  /**
   * @param view what the gate knows; without grants where this process does not lead
   */
  public SpeedWatch(
      ValueReader metrics,
      SpeedQueries queries,
      Supplier<GateView> view,
      SpeedReports reports,
      GuardSamples guard,
      MeterRegistry meters,
      InstantSource clock) {
    this.queries = queries;
    this.metrics = metrics;
    this.view = view;
    this.reports = reports;
    this.guard = guard;
    this.meters = meters;
    this.clock = clock;
    meters.gauge("cotenant.speeds.overdue", overdue);
  }

  /** Looks after each interval. */
  public void start(Duration interval, Supervisor supervisor) {
    loop =
        supervisor.start(
            LoopPlan.restarted("pod-metrics", SILENT_AT_MOST),
            heart -> {
              heart.rest(interval);
              look();
            });
  }

  @Override
  public void close() {
    if (loop != null) {
      loop.close(PATIENCE);
    }
  }

  private void look() {
    try {
      observe();
      lastFailure = "";
    } catch (StoreException | MetricsUnreachableException e) {
      String message = String.valueOf(e.getMessage());
      if (!message.equals(lastFailure)) {
        LOG.warnf("Speeds and latencies of pods: %s", message);
      }
      lastFailure = message;
    } catch (RuntimeException defect) { // the loop would end with it
      LOG.error("Reading speeds and latencies of pods failed on a defect", defect);
    }
  }

  /**
   * Looks at every pod once, namespaces in turn, and in each those first that were read longest
   * ago, whatever came of it. Completed readings reach the guard despite later failures.
   *
   * @throws StoreException when a speed cannot be stored; no further one is reported in this round
   * @throws MetricsUnreachableException when the server gives no answer, with which the round ends
   */
  void observe() {
    GateView known = view.get();
    Instant began = clock.instant();
    List<Holding> named = inTurns(known);
    byUid
        .keySet()
        .retainAll(named.stream().map(held -> held.pod().uid()).collect(Collectors.toSet()));
    Round round = new Round(known);
    try {
      for (Holding held : named) {
        boolean mayRead =
            round.asked < MAX_QUERIES && clock.instant().isBefore(began.plus(MAX_ROUND));
        if (mayRead) {
          round.tryToLook(held);
        }
      }
    } finally {
      guard.add(round.samples);
      countOverdue();
    }
    if (round.failure != null) {
      throw round.failure;
    }
  }

  /** One pod of each namespace, then the next of each. */
  private List<Holding> inTurns(GateView known) {
    List<Holding> byAge =
        known.granted().values().stream()
            .filter(held -> held.state() == GrantState.OBSERVED && queries.names(held))
            .sorted(Comparator.comparing(this::lastRead).thenComparing(held -> held.pod().uid()))
            .toList();
    Map<String, Integer> before = new HashMap<>();
    Map<String, Integer> turns = new HashMap<>();
    for (Holding held : byAge) {
      int turn = before.merge(held.pod().pod().namespace(), 1, Integer::sum);
      turns.put(held.pod().uid(), turn);
    }
    return byAge.stream()
        .sorted(Comparator.comparing(held -> turns.getOrDefault(held.pod().uid(), 0)))
        .toList();
  }

  private void countOverdue() {
    Instant oldest = clock.instant().minus(GUARD_EVERY.multipliedBy(2));
    long late =
        byUid.values().stream()
            .filter(watched -> watched.beside.size() > 1 && watched.readAt.isBefore(oldest))
            .count();
    overdue.set(Math.toIntExact(late));
  }

  private Instant lastRead(Holding held) {
    @Nullable Watched watched = byUid.get(held.pod().uid());
    return watched == null ? Instant.MIN : watched.readAt;
  }

  /** One round. */
  private final class Round {
    private final GateView known;
    private final List<Sample> samples = new ArrayList<>();
    private int asked;
    private int timedOut;
    private @Nullable StoreException failure;

    Round(GateView known) {
      this.known = known;
    }

    /** Isolates a defect of one pod from other pods. */
    void tryToLook(Holding held) {
      try {
        look(held);
      } catch (MetricsUnreachableException e) {
        throw e;
      } catch (RuntimeException defect) {
        count("failed");
        LOG.errorf(defect, "Reading metrics of %s failed on a defect", held.pod().pod());
      }
    }

    private void look(Holding held) {
      GuardSamples.@Nullable Placed placed = GuardSamples.placed(known, held).orElse(null);
      if (placed == null || !(placed.gpu().tenancy() instanceof Tenancy.Shared(List<Tenant> all))) {
        return;
      }
      Instant now = clock.instant();
      Set<String> beside = all.stream().map(Tenant::name).collect(Collectors.toSet());
      Watched watched = watched(held, beside, now);
      boolean reports =
          failure == null && watched.reports < REPORTS && !now.isBefore(watched.reportAt);
      boolean isDue = !now.isBefore(watched.readAt.plus(GUARD_EVERY));
      Instant readAt = isDue ? now : watched.readAt;
      Instant reportAt = reports ? now.plus(GUARD_EVERY) : watched.reportAt;
      // before it is read: one that ends the round is not the first of the next, too
      byUid.put(held.pod().uid(), new Watched(beside, reportAt, watched.reports, readAt));
      if (reports && (isDemand(placed) || reported(held, all, now))) {
        byUid.put(
            held.pod().uid(),
            new Watched(beside, now.plus(SpeedReports.WINDOW), watched.reports + 1, readAt));
      }
      if (isDue && beside.size() > 1) {
        read(held, now);
      }
    }

    private Watched watched(Holding held, Set<String> beside, Instant now) {
      @Nullable Watched before = byUid.get(held.pod().uid());
      return before != null && before.beside.equals(beside)
          ? before
          : new Watched(beside, now.plus(SpeedReports.WINDOW), 0, now);
    }

    /** The speed of a server is that of its requests, and is never taken. */
    private boolean isDemand(GuardSamples.Placed placed) {
      @Nullable GraphRun run = placed.tenant().run();
      return run != null && run.settings().load() instanceof Load.RequestRate;
    }

    private boolean reported(Holding held, List<Tenant> all, Instant now) {
      try {
        return report(held, all, now);
      } catch (StoreException e) {
        failure = e;
        return false;
      }
    }

    /** Whether it is over: the pod has no speed metric, or its speed was offered. */
    private boolean report(Holding held, List<Tenant> all, Instant now) {
      if (!queries.hasSpeed(held)) {
        return true;
      }
      Instant started = all.stream().map(Tenant::since).max(Instant::compareTo).orElseThrow();
      if (started.isAfter(now.minus(SpeedReports.WINDOW))) {
        count("rejected");
        return false;
      }
      Duration window = window(Duration.between(started, now));
      OptionalDouble speed = value(held, queries.speed(held), window, now);
      if (speed.isEmpty()) {
        count("missing");
        return false;
      }
      PodIdentity pod = held.pod().pod();
      String name = Objects.requireNonNull(pod.name(), "a running pod has a name");
      List<SpeedReports.Result> results =
          reports.add(
              pod.namespace(), List.of(new SpeedReports.Reported(name, speed.getAsDouble())));
      boolean isTaken = results.getFirst().isTaken();
      count(isTaken ? "taken" : "rejected");
      return isTaken;
    }

    /** What is read of the time since the last start. */
    private static Duration window(Duration running) {
      Duration steady = running.minus(WARM_UP);
      return steady.compareTo(SpeedReports.WINDOW) < 0 ? steady : SpeedReports.WINDOW;
    }

    private void read(Holding held, Instant now) {
      value(held, queries.speed(held), GUARD_WINDOW, now).stream()
          .mapToObj(speed -> guard.speed(known, held, speed, now))
          .flatMap(Optional::stream)
          .forEach(samples::add);
      value(held, SpeedQueries.latency(held), GUARD_WINDOW, now).stream()
          .mapToObj(seconds -> GuardSamples.latency(held.pod(), seconds, now))
          .flatMap(Optional::stream)
          .forEach(samples::add);
      value(held, SpeedQueries.rate(held), GUARD_WINDOW, now).stream()
          .mapToObj(rate -> GuardSamples.rate(held.pod(), rate, now))
          .flatMap(Optional::stream)
          .forEach(samples::add);
    }

    private OptionalDouble value(
        Holding held, Optional<SpeedQueries.PodQuery> query, Duration window, Instant now) {
      if (query.isEmpty()) {
        return OptionalDouble.empty();
      }
      asked++;
      return inTime(query.get().promQl(held.pod().pod(), window), now);
    }

    /** One query may be too heavy; where several are, the server is. */
    private OptionalDouble inTime(String expression, Instant now) {
      try {
        OptionalDouble value = metrics.read(expression, now);
        timedOut = 0;
        return value;
      } catch (MetricsTimedOutException e) {
        timedOut++;
        if (timedOut == MAX_TIMED_OUT) {
          throw new MetricsUnreachableException(String.valueOf(e.getMessage()));
        }
        return OptionalDouble.empty();
      }
    }

    private void count(String outcome) {
      meters.counter("cotenant.speeds.read", "outcome", outcome).increment();
    }
  }
}
