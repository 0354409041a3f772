package dev.cotenant.service.cluster;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedSource;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.VictimColocation;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Speeds from the durations of recurring jobs: a pod that completed, was watched from its start on
 * and had the same neighbours nearly all of the time gives one over its duration. Durations are
 * compared among pods of one recurring owner and configuration. Pods that fail or are deleted give
 * none. Called periodically by one thread.
 */
public final class DurationSpeeds {
  /** Shorter runs are mostly start-up. */
  static final Duration MIN_DURATION = Duration.ofMinutes(5);

  /** Between the start of a pod and the first look at it, and between two looks. */
  private static final Duration LATEST = Duration.ofMinutes(2);

  /** Minimum share of the run's duration with unchanged neighbours. */
  private static final double SAME = 0.9;

  /** The time of a CronJob's run in the name of its Job, or a generated suffix. */
  private static final Pattern RUN =
      Pattern.compile("-(?:\\d{8,}|[bcdfghjklmnpqrstvwxz2456789]{5})$");

  private static final int MAX_OWNER = 300;

  private final java.util.function.Supplier<GateView> gate;
  private final SpeedStore store;
  private final Counter stored;
  private final Map<String, Watched> running = new HashMap<>();
  private final Set<String> done = new HashSet<>();
  private final List<MeasuredSpeed> pending = new ArrayList<>();
  private long term;

  /** A pod's neighbours and the workloads of all. */
  private record Beside(String device, SharedJob own, List<SharedJob> neighbours) {}

  private static final class Watched {
    private final Map<Set<String>, Duration> times = new HashMap<>();
    private final Map<Set<String>, Optional<Beside>> jobs = new HashMap<>();
    private Instant last;
    private boolean isWhole;

    Watched(Instant start, Instant now) {
      last = start;
      isWhole = !now.isAfter(start.plus(LATEST));
    }

    void saw(Set<String> names, Optional<Beside> beside, Instant now) {
      isWhole &= !now.isAfter(last.plus(LATEST));
      times.merge(names, Duration.between(last, now), Duration::plus);
      jobs.put(names, beside);
      last = now;
    }
  }

  public DurationSpeeds(
      java.util.function.Supplier<GateView> gate, SpeedStore store, MeterRegistry meters) {
    this.gate = gate;
    this.store = store;
    stored = meters.counter("cotenant.duration.speeds");
  }

  /**
   * Looks at every pod once.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when speeds cannot be stored; they are
   *     offered again at the next look
   */
  public void observe() {
    GateView view = gate.get();
    if (view.term() != term) {
      running.clear(); // what happened in between is not known
      done.clear();
      term = view.term();
    }
    completed(view);
    look(view);
    if (!pending.isEmpty()) {
      int surplus = pending.size() - SpeedStore.MAX_ROWS;
      if (surplus > 0) {
        pending.subList(0, surplus).clear();
      }
      store.add(List.copyOf(pending));
      stored.increment(pending.size());
      pending.clear();
    }
  }

  private void completed(GateView view) {
    Set<String> known = new HashSet<>();
    for (WatchedPod pod : view.completed()) {
      known.add(pod.uid());
      @Nullable Watched watched = running.get(pod.uid());
      if (done.add(pod.uid()) && watched != null) {
        row(pod, watched, view.at()).ifPresent(pending::add);
      }
    }
    done.retainAll(known);
  }

  private static Optional<MeasuredSpeed> row(WatchedPod pod, Watched watched, Instant now) {
    @Nullable Instant start = pod.life().startedAt();
    @Nullable String owner = owner(pod);
    String name = pod.pod().name();
    if (start == null || owner == null || name == null || !watched.isWhole) {
      return Optional.empty();
    }
    if (now.isAfter(watched.last.plus(LATEST))) {
      return Optional.empty();
    }
    Duration length = Duration.between(start, now);
    for (Map.Entry<Set<String>, Duration> entry : watched.times.entrySet()) {
      boolean isSame = entry.getValue().toMillis() >= SAME * length.toMillis();
      if (isSame && length.compareTo(MIN_DURATION) >= 0) {
        return Objects.requireNonNull(watched.jobs.get(entry.getKey()))
            .map(beside ->
                new MeasuredSpeed(
                    pod.pod().namespace(),
                    name,
                    beside.device,
                    beside.own,
                    beside.neighbours,
                    1e3 / length.toMillis(),
                    now,
                    SpeedSource.DURATION,
                    owner));
      }
    }
    return Optional.empty();
  }

  /** Equal for the runs of a CronJob, and of a Job that is created again under its name. */
  static @Nullable String owner(WatchedPod pod) {
    String owner = pod.life().owner();
    return owner == null || owner.length() > MAX_OWNER || !owner.startsWith("Job/")
        ? null
        : RUN.matcher(owner).replaceFirst("");
  }

  private void look(GateView view) {
    Map<String, Holding> byName = new HashMap<>();
    view.granted().forEach((pod, held) -> byName.put(pod.toString(), held));
    Set<String> present = new HashSet<>();
    for (GpuSnapshot gpu : view.cluster().gpus()) {
      if (gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants)) {
        for (Tenant tenant : tenants) {
          @Nullable Holding held = byName.get(tenant.name());
          @Nullable Instant start = held == null ? null : held.pod().life().startedAt();
          if (held != null && start != null && owner(held.pod()) != null) {
            present.add(held.pod().uid());
            look(held.pod().uid(), start, gpu, tenants, tenant, view.at());
          }
        }
      }
    }
    running.keySet().retainAll(present);
  }

  private void look(
      String uid, Instant start, GpuSnapshot gpu, List<Tenant> tenants, Tenant own, Instant now) {
    Watched watched = running.computeIfAbsent(uid, _ -> new Watched(start, now));
    Set<String> names = new HashSet<>();
    tenants.forEach(tenant -> names.add(tenant.name()));
    watched.saw(names, beside(gpu, tenants, own), now);
  }

  /** Empty where a graph is not known, or where one serves requests at their rate. */
  private static Optional<Beside> beside(GpuSnapshot gpu, List<Tenant> tenants, Tenant own) {
    if (tenants.size() > VictimColocation.MAX_AGGRESSORS + 1 || isDemand(own)) {
      return Optional.empty();
    }
    @Nullable SharedJob job = SpeedReports.jobIfKnown(gpu, own).orElse(null);
    List<SharedJob> neighbours = new ArrayList<>();
    for (Tenant tenant : tenants) {
      if (!tenant.name().equals(own.name())) {
        @Nullable SharedJob neighbour = SpeedReports.jobIfKnown(gpu, tenant).orElse(null);
        if (neighbour == null) {
          return Optional.empty();
        }
        neighbours.add(neighbour);
      }
    }
    return job == null
        ? Optional.empty()
        : Optional.of(new Beside(gpu.device().id().value(), job, neighbours));
  }

  private static boolean isDemand(Tenant tenant) {
    GraphRun run = tenant.run();
    return run != null && run.settings().load() instanceof Load.RequestRate;
  }
}
