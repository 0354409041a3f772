package dev.cotenant.service.cluster;

import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.engine.risk.SpeedSource;
import dev.cotenant.forecast.prometheus.MetricsTimedOutException;
import dev.cotenant.forecast.prometheus.MetricsUnreachableException;
import dev.cotenant.service.cluster.ProfiledPods.Profiled;
import dev.cotenant.service.cluster.SpeedReports.ReportedAlone;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;

/**
 * Reads how fast pods were while they were measured alone, and how active their GPUs: the mean of
 * each half of the time after the start-up, so that what neighbours leave of it is known from the
 * first neighbour on. Called periodically by one thread.
 */
public final class ProfiledSpeeds {
  /** A speed alone counts once it was measured so often. */
  private static final int PARTS = 2;

  /** Pods of one look, eight queries each; the rest come in the next. */
  private static final int MAX_PODS = 4;

  /** Pause after a query timeout. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final SpeedWatch.ValueReader metrics;
  private final SpeedQueries queries;
  private final GpuActivity activities;
  private final Supplier<GateView> view;
  private final SpeedReports reports;
  private final MeterRegistry meters;
  private final InstantSource clock;
  private final ProfiledPods profiled = new ProfiledPods();

  /** When a pod whose speed was missing is looked at again, by uid. */
  private final Map<String, Instant> again = new HashMap<>();

  private Instant notBefore = Instant.MIN;

  /**
   * @param view what the gate knows; without grants where this process does not lead
   */
  public ProfiledSpeeds(
      SpeedWatch.ValueReader metrics,
      SpeedQueries queries,
      GpuActivity activities,
      Supplier<GateView> view,
      SpeedReports reports,
      MeterRegistry meters,
      InstantSource clock) {
    this.metrics = metrics;
    this.queries = queries;
    this.activities = activities;
    this.view = view;
    this.reports = reports;
    this.meters = meters;
    this.clock = clock;
  }

  /**
   * Looks at every pod once.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when speeds cannot be stored; they are
   *     read again at the next look
   */
  public void observe() {
    Instant now = clock.instant();
    GateView known = view.get();
    List<Profiled> due = profiled.due(known.granted().values(), now);
    again.keySet().retainAll(due.stream().map(ProfiledSpeeds::uid).toList());
    if (now.isBefore(notBefore)) {
      return;
    }
    List<Profiled> first =
        due.stream()
            .filter(one -> !now.isBefore(again.getOrDefault(uid(one), Instant.MIN)))
            .limit(MAX_PODS)
            .toList();
    for (Profiled one : first) {
      try {
        observe(known, one, now);
      } catch (MetricsTimedOutException | MetricsUnreachableException _) {
        notBefore = now.plus(PATIENCE);
        return;
      } catch (NotLeadingException _) {
        return; // who leads reads
      }
    }
  }

  private static String uid(Profiled one) {
    return one.held().pod().uid();
  }

  private void observe(GateView known, Profiled one, Instant now) {
    Optional<GpuSnapshot> gpu =
        GuardSamples.placed(known, one.held()).map(GuardSamples.Placed::gpu);
    if (gpu.isEmpty()) {
      return; // of an older view
    }
    List<ReportedAlone> speeds = progress(one);
    boolean isMissing = speeds.size() < PARTS && queries.speed(one.held()).isPresent();
    if (isMissing) {
      again.put(uid(one), now.plus(PATIENCE)); // its samples may still arrive
      count("missing");
      return;
    }
    List<ReportedAlone> all = new ArrayList<>(speeds);
    if (GpuActivity.isReadable(gpu.get())) {
      for (SpeedSource source : GpuActivity.SOURCES) {
        all.addAll(activity(one, source, gpu.get().uuid()));
      }
    }
    if (!all.isEmpty()) {
      SpeedReports.Result result = reports.addAlone(one.held().pod().pod(), all);
      count(result.isTaken() ? "taken" : "rejected");
    }
    profiled.done(one);
  }

  private List<ReportedAlone> progress(Profiled one) {
    return queries
        .speed(one.held())
        .map(query -> {
          String promQl = query.promQl(one.held().pod().pod(), part(one));
          return parts(one, promQl, SpeedSource.PROGRESS);
        })
        .orElse(List.of());
  }

  private List<ReportedAlone> activity(Profiled one, SpeedSource source, String uuid) {
    return parts(one, activities.promQl(source, uuid, part(one)), source).stream()
        .filter(read -> GpuActivity.isActivity(source, read.speed()))
        .toList();
  }

  private static Duration part(Profiled one) {
    return Duration.between(one.from(), one.to()).dividedBy(PARTS);
  }

  /** The mean of each part, as far as there are samples. */
  private List<ReportedAlone> parts(Profiled one, String promQl, SpeedSource source) {
    List<ReportedAlone> read = new ArrayList<>();
    for (int i = 1; i <= PARTS; i++) {
      Instant end = one.from().plus(part(one).multipliedBy(i));
      OptionalDouble value = metrics.read(promQl, end);
      value.ifPresent(mean -> read.add(new ReportedAlone(mean, source, end)));
    }
    return read;
  }

  private void count(String outcome) {
    meters.counter("cotenant.speeds.profiled", "outcome", outcome).increment();
  }
}
