package dev.cotenant.service.cluster;

import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.engine.risk.SpeedSource;
import dev.cotenant.forecast.prometheus.MetricsTimedOutException;
import dev.cotenant.forecast.prometheus.MetricsUnreachableException;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the activity of GPUs, twice for each set of tenants: memory and SM activity and power above
 * idle, as DCGM exports them. A decision uses them where nothing better is known of the tenants,
 * and once they were compared with speeds of pods. Called periodically by one thread.
 */
public final class ActivitySpeeds {
  /** One is often off, and further ones of the same tenants say little. */
  private static final int REPORTS = 2;

  /** GPUs of one look, three queries each; the rest come in the next. */
  private static final int MAX_GPUS = 4;

  /** Pause after a query timeout. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final SpeedWatch.ValueReader metrics;
  private final Supplier<GateView> view;
  private final BiFunction<String, List<SpeedReports.Reported>, List<SpeedReports.Result>> reports;
  private final GpuActivity activities;
  private final MeterRegistry meters;
  private final InstantSource clock;
  private final Map<String, Seen> byGpu = new HashMap<>();
  private Instant notBefore = Instant.MIN;

  /** The tenants of a GPU, when it is to be read next, and how often it was. */
  private record Seen(Set<String> tenants, Instant next, int reports) {}

  /**
   * @param reports takes the speeds of pods of a namespace, one result for each
   * @param activities where the metrics server has them
   */
  public ActivitySpeeds(
      SpeedWatch.ValueReader metrics,
      Supplier<GateView> view,
      BiFunction<String, List<SpeedReports.Reported>, List<SpeedReports.Result>> reports,
      GpuActivity activities,
      MeterRegistry meters,
      InstantSource clock) {
    this.metrics = metrics;
    this.view = view;
    this.reports = reports;
    this.activities = activities;
    this.meters = meters;
    this.clock = clock;
  }

  /**
   * Looks at every GPU once.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when speeds cannot be stored; they are
   *     read again
   */
  public void observe() {
    Instant now = clock.instant();
    Map<String, Seen> known = new HashMap<>();
    int read = 0;
    for (GpuSnapshot gpu : view.get().cluster().gpus()) {
      if (gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants) && isKnown(gpu, tenants)) {
        Seen seen = seen(gpu, tenants, now);
        boolean isDue = seen.reports < REPORTS && !now.isBefore(seen.next);
        if (isDue && read < MAX_GPUS && !now.isBefore(notBefore)) {
          read++;
          seen = read(gpu, tenants, seen, now);
        }
        known.put(gpu.uuid(), seen);
      }
    }
    byGpu.clear();
    byGpu.putAll(known);
  }

  private static boolean isKnown(GpuSnapshot gpu, List<Tenant> tenants) {
    return !tenants.isEmpty()
        && GpuActivity.isReadable(gpu)
        && tenants.stream().allMatch(one -> SpeedReports.jobIfKnown(gpu, one).isPresent());
  }

  private Seen seen(GpuSnapshot gpu, List<Tenant> tenants, Instant now) {
    Set<String> names = tenants.stream().map(Tenant::name).collect(Collectors.toSet());
    @Nullable Seen before = byGpu.get(gpu.uuid());
    return before != null && before.tenants.equals(names)
        ? before
        : new Seen(names, now.plus(SpeedReports.WINDOW), 0);
  }

  /** What is missing is not looked for again before the tenants change. */
  private Seen read(GpuSnapshot gpu, List<Tenant> tenants, Seen seen, Instant now) {
    boolean isTaken = true;
    for (SpeedSource source : GpuActivity.SOURCES) {
      OptionalDouble activity;
      try {
        activity = metrics.read(activities.promQl(source, gpu.uuid(), SpeedReports.WINDOW), now);
      } catch (MetricsTimedOutException | MetricsUnreachableException _) {
        notBefore = now.plus(PATIENCE);
        return seen;
      }
      if (activity.isEmpty() || !GpuActivity.isActivity(source, activity.getAsDouble())) {
        count("missing");
      } else {
        try {
          isTaken &= report(tenants, source, activity.getAsDouble());
        } catch (NotLeadingException _) {
          return seen; // who leads reads
        }
      }
    }
    return isTaken
        ? new Seen(seen.tenants, now.plus(SpeedReports.WINDOW), seen.reports + 1)
        : new Seen(seen.tenants, now.plus(PATIENCE), seen.reports);
  }

  private boolean report(List<Tenant> tenants, SpeedSource source, double activity) {
    Map<String, List<SpeedReports.Reported>> byNamespace =
        tenants.stream()
            .collect(
                Collectors.groupingBy(
                    Tenant::namespace,
                    Collectors.mapping(
                        tenant ->
                            new SpeedReports.Reported(
                                tenant.name().substring(tenant.namespace().length() + 1),
                                activity,
                                source),
                        Collectors.toList())));
    boolean isTaken = true;
    for (Map.Entry<String, List<SpeedReports.Reported>> entry : byNamespace.entrySet()) {
      for (SpeedReports.Result result : reports.apply(entry.getKey(), entry.getValue())) {
        isTaken &= result.isTaken();
        count(result.isTaken() ? "taken" : "rejected");
      }
    }
    return isTaken;
  }

  private void count(String outcome) {
    meters.counter("cotenant.activities.read", "outcome", outcome).increment();
  }
}
