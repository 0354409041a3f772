package dev.cotenant.service.cluster;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.MetricQuery;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads speeds and latencies of pods that name a metric. A speed is reported like those that
 * callers report, twice for each set of neighbours; beside others both go to the guard, once a
 * minute. Called periodically by one thread.
 */
public final class SpeedWatch {
  /** Between two readings for the guard, each of which is a mean over {@link #GUARD_WINDOW}. */
  static final Duration GUARD_EVERY = Duration.ofMinutes(1);

  private static final Duration GUARD_WINDOW = Duration.ofMinutes(2);

  /** One speed is often off, and further ones of the same neighbours say little. */
  private static final int REPORTS = 2;

  /** Queries of one call, and the time after which none begins; the rest come in the next. */
  private static final int MOST_QUERIES = 100;

  private static final Duration LONGEST = Duration.ofSeconds(20);

  private final ValueReader metrics;
  private final Supplier<GateView> view;
  private final SpeedReports reports;
  private final GuardSamples guard;
  private final MeterRegistry meters;
  private final InstantSource clock;
  private final Map<String, Watched> byUid = new HashMap<>();

  /** Reads the number that an expression has now; empty where there is none. May block. */
  @FunctionalInterface
  public interface ValueReader {
    /** Reads nothing. */
    ValueReader NONE = (_, _) -> OptionalDouble.empty();

    OptionalDouble read(String expression, Instant at);
  }

  /**
   * A pod, those on its GPU, and what was read with them.
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
      Supplier<GateView> view,
      SpeedReports reports,
      GuardSamples guard,
      MeterRegistry meters,
      InstantSource clock) {
    this.metrics = metrics;
    this.view = view;
    this.reports = reports;
    this.guard = guard;
    this.meters = meters;
    this.clock = clock;
  }

  /**
   * Looks at every pod once, those that were read longest ago first.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when a speed cannot be stored
   */
  public void observe() {
    GateView known = view.get();
    Instant began = clock.instant();
    List<Holding> named =
        known.granted().values().stream()
            .filter(held -> held.state() == GrantState.OBSERVED && names(held))
            .sorted(Comparator.comparing(this::lastRead).thenComparing(held -> held.pod().uid()))
            .toList();
    Round round = new Round(known);
    Set<String> present = new HashSet<>();
    for (Holding held : named) {
      present.add(held.pod().uid());
      boolean mayRead =
          round.queries < MOST_QUERIES && clock.instant().isBefore(began.plus(LONGEST));
      if (mayRead) {
        round.look(held);
      }
    }
    byUid.keySet().retainAll(present);
    guard.add(round.samples);
  }

  private static boolean names(Holding held) {
    Map<String, String> all = held.pod().annotations();
    return all.containsKey(CotenantAnnotations.SPEED_METRIC)
        || all.containsKey(CotenantAnnotations.LATENCY_METRIC);
  }

  private Instant lastRead(Holding held) {
    @Nullable Watched watched = byUid.get(held.pod().uid());
    return watched == null ? Instant.MIN : watched.readAt;
  }

  /** One call. */
  private final class Round {
    private final GateView known;
    private final List<Sample> samples = new ArrayList<>();
    private int queries;

    Round(GateView known) {
      this.known = known;
    }

    void look(Holding held) {
      GuardSamples.@Nullable Placed placed = GuardSamples.placed(known, held).orElse(null);
      if (placed == null || !(placed.gpu().tenancy() instanceof Tenancy.Shared(List<Tenant> all))) {
        return;
      }
      Instant now = clock.instant();
      Set<String> beside = all.stream().map(Tenant::name).collect(Collectors.toSet());
      Watched watched = watched(held, beside, now);
      if (watched.reports < REPORTS && !now.isBefore(watched.reportAt)) {
        watched =
            report(held, now)
                ? new Watched(
                    beside, now.plus(SpeedReports.WINDOW), watched.reports + 1, watched.readAt)
                : new Watched(beside, now.plus(GUARD_EVERY), watched.reports, watched.readAt);
      }
      boolean isDue = !now.isBefore(watched.readAt.plus(GUARD_EVERY));
      if (isDue) {
        if (beside.size() > 1) {
          read(held, now);
        }
        watched = new Watched(beside, watched.reportAt, watched.reports, now);
      }
      byUid.put(held.pod().uid(), watched);
    }

    private Watched watched(Holding held, Set<String> beside, Instant now) {
      @Nullable Watched before = byUid.get(held.pod().uid());
      return before != null && before.beside.equals(beside)
          ? before
          : new Watched(beside, now.plus(SpeedReports.WINDOW), 0, now);
    }

    /** Whether it is over: the pod has no speed metric, or its speed was offered. */
    private boolean report(Holding held, Instant now) {
      if (!held.pod().annotations().containsKey(CotenantAnnotations.SPEED_METRIC)) {
        return true;
      }
      OptionalDouble speed =
          value(
              held, CotenantAnnotations.SPEED_METRIC, MetricQuery::speed, SpeedReports.WINDOW, now);
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

    private void read(Holding held, Instant now) {
      value(held, CotenantAnnotations.SPEED_METRIC, MetricQuery::speed, GUARD_WINDOW, now).stream()
          .mapToObj(speed -> guard.speed(known, held, speed, now))
          .flatMap(Optional::stream)
          .forEach(samples::add);
      value(held, CotenantAnnotations.LATENCY_METRIC, MetricQuery::latency, GUARD_WINDOW, now)
          .stream()
          .mapToObj(seconds -> GuardSamples.latency(held.pod(), seconds, now))
          .flatMap(Optional::stream)
          .forEach(samples::add);
    }

    private OptionalDouble value(
        Holding held,
        String annotation,
        Function<String, Optional<MetricQuery>> parser,
        Duration window,
        Instant now) {
      @Nullable MetricQuery query =
          Optional.ofNullable(held.pod().annotations().get(annotation))
              .flatMap(parser)
              .orElse(null);
      if (query == null) {
        return OptionalDouble.empty();
      }
      queries++;
      return metrics.read(query.promQl(held.pod().pod(), window), now);
    }

    private void count(String outcome) {
      meters.counter("cotenant.speeds.read", "outcome", outcome).increment();
    }
  }
}
