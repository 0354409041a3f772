package dev.cotenant.service.cluster;

import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedSource;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.interference.risk.GraphJob;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.VictimColocation;
import dev.cotenant.placement.UnattributedUsage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Takes in the speeds of pods. The neighbours of a pod are those of the ledger, not of the caller:
 * the same tenants, all started, for the whole {@link #WINDOW} before, and no other usage on the
 * GPU. Safe for use by several threads.
 */
public final class SpeedReports {
  /** Beyond the rate of any workload; a larger number is an error of the caller. */
  public static final double MAX_SPEED = 1e12;

  /** Window of a reported speed. */
  public static final Duration WINDOW = Duration.ofMinutes(5);

  private final Supplier<ClusterSnapshot> granted;
  private final SpeedStore store;
  private final InstantSource clock;
  private final Consumer<List<MeasuredSpeed>> taken;
  private volatile Map<String, Together> together = Map.of();

  /** The tenants of a GPU, and since when they are unchanged. */
  private record Together(Set<String> tenants, Instant since) {}

  /**
   * @param granted the cluster with all grants; throws NotLeadingException where another process
   *     has them
   * @param taken receives speeds that were stored
   */
  public SpeedReports(
      Supplier<ClusterSnapshot> granted,
      SpeedStore store,
      InstantSource clock,
      Consumer<List<MeasuredSpeed>> taken) {
    this.taken = taken;
    this.granted = granted;
    this.store = store;
    this.clock = clock;
  }

  /**
   * A speed as it comes.
   *
   * @param pod name in the namespace
   * @param speed steps or samples per second, or the activity of the GPU
   * @param source where it comes from
   */
  public record Reported(String pod, double speed, SpeedSource source) {
    /** As the pod states it. */
    public Reported(String pod, double speed) {
      this(pod, speed, SpeedSource.PROGRESS);
    }
  }

  /**
   * A speed of a pod while its GPU was closed to others.
   *
   * @param speed steps or samples per second, or the activity of the GPU
   * @param source where it comes from
   * @param at end of the averaging window
   */
  record ReportedAlone(double speed, SpeedSource source, Instant at) {}

  /**
   * What became of a speed.
   *
   * @param neighbours how many were beside the pod; -1 where it was not taken
   * @param reason why it was not taken; empty where it was
   */
  public record Result(int neighbours, String reason) {
    static Result rejected(String reason) {
      return new Result(-1, reason);
    }

    /** Whether it was stored. */
    public boolean isTaken() {
      return neighbours >= 0;
    }
  }

  /** A pod cannot be counted. */
  private static final class NotCountedException extends Exception {
    private static final long serialVersionUID = 1;

    NotCountedException(String why) {
      super(why);
    }
  }

  /** Records the tenants of every GPU; called every few seconds. */
  public void observe() {
    Map<String, Together> now = new HashMap<>();
    try {
      for (GpuSnapshot gpu : granted.get().gpus()) {
        Set<String> names = names(gpu);
        Together before = together.get(gpu.uuid());
        now.put(
            gpu.uuid(),
            before != null && before.tenants.equals(names)
                ? before
                : new Together(names, clock.instant()));
      }
    } catch (NotLeadingException _) {
      now.clear(); // who leads looks
    }
    together = now;
  }

  private static Set<String> names(GpuSnapshot gpu) {
    return tenants(gpu).stream().map(Tenant::name).collect(Collectors.toSet());
  }

  /**
   * Stores the speeds of pods of a namespace.
   *
   * @return one result per speed, in order
   */
  public List<Result> add(String namespace, List<Reported> reported) {
    Map<String, GpuSnapshot> byPod = byPod(namespace);
    Instant now = clock.instant();
    List<Result> results = new ArrayList<>();
    List<MeasuredSpeed> rows = new ArrayList<>();
    for (Reported one : reported) {
      try {
        MeasuredSpeed row = row(namespace, one, byPod, now);
        rows.add(row);
        results.add(new Result(row.neighbours().size(), ""));
      } catch (NotCountedException e) {
        results.add(Result.rejected(String.valueOf(e.getMessage())));
      }
    }
    if (!rows.isEmpty()) {
      store.add(rows);
      taken.accept(rows.stream().filter(row -> row.source() == SpeedSource.PROGRESS).toList());
    }
    return results;
  }

  /**
   * Stores the solo speeds of a pod from its profile time, regardless of current neighbours.
   *
   * @param speeds at least one
   */
  Result addAlone(PodIdentity pod, List<ReportedAlone> speeds) {
    String namespace = pod.namespace();
    Map<String, GpuSnapshot> byPod = byPod(namespace);
    List<MeasuredSpeed> rows = new ArrayList<>();
    try {
      for (ReportedAlone one : speeds) {
        rows.add(rowAlone(pod, one, byPod));
      }
    } catch (NotCountedException e) {
      return Result.rejected(String.valueOf(e.getMessage()));
    }
    store.add(rows);
    return new Result(0, "");
  }

  private static MeasuredSpeed rowAlone(
      PodIdentity pod, ReportedAlone reported, Map<String, GpuSnapshot> byPod)
      throws NotCountedException {
    requireSpeed(reported.speed);
    GpuSnapshot gpu = gpu(pod.requireName(), byPod.get(pod.toString()));
    for (Tenant tenant : tenants(gpu)) {
      if (tenant.name().equals(pod.toString())) {
        requireFullSpeed(tenant);
        return new MeasuredSpeed(
            pod.namespace(),
            pod.requireName(),
            gpu.device().id().value(),
            job(gpu, tenant),
            List.of(),
            reported.speed,
            reported.at,
            reported.source,
            "");
      }
    }
    throw new IllegalStateException("tenants of " + gpu.uuid() + " lack " + pod);
  }

  private static void requireSpeed(double speed) throws NotCountedException {
    if (!(speed > 0 && speed <= MAX_SPEED)) {
      throw new NotCountedException(
          "the speed must be above 0 and at most 1e12 a second, is " + speed);
    }
  }

  private static GpuSnapshot gpu(String pod, @Nullable GpuSnapshot found)
      throws NotCountedException {
    if (found == null) {
      throw new NotCountedException(
          "no pod '" + pod + "' shares or may share a GPU: only granted shares count");
    }
    return found;
  }

  private static List<Tenant> tenants(GpuSnapshot gpu) {
    return gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants) ? tenants : List.of();
  }

  private Map<String, GpuSnapshot> byPod(String namespace) {
    Map<String, GpuSnapshot> byPod = new HashMap<>();
    for (GpuSnapshot gpu : granted.get().gpus()) {
      for (Tenant tenant : tenants(gpu)) {
        if (tenant.namespace().equals(namespace)) {
          byPod.put(tenant.name(), gpu);
        }
      }
    }
    return byPod;
  }

  private MeasuredSpeed row(
      String namespace, Reported reported, Map<String, GpuSnapshot> byPod, Instant now)
      throws NotCountedException {
    requireSpeed(reported.speed);
    String name = namespace + "/" + reported.pod;
    GpuSnapshot gpu = gpu(reported.pod, byPod.get(name));
    List<Tenant> tenants = tenants(gpu);
    if (tenants.size() > VictimColocation.MAX_AGGRESSORS + 1) {
      throw new NotCountedException(
          "the GPU has " + tenants.size() + " tenants, at most 8 are compared");
    }
    requireUnchanged(gpu, tenants, now);
    List<SharedJob> neighbours = new ArrayList<>();
    SharedJob own = null;
    for (Tenant tenant : tenants) {
      SharedJob job = job(gpu, tenant);
      if (own == null && tenant.name().equals(name)) {
        requireFullSpeed(tenant);
        own = job;
      } else {
        if (reported.source.isOfGpu()) {
          requireFullSpeed(tenant); // else its part of the activity is its demand
        }
        neighbours.add(job);
      }
    }
    if (own == null) {
      throw new IllegalStateException("tenants of " + gpu.uuid() + " lack " + name);
    }
    return new MeasuredSpeed(
        namespace,
        reported.pod,
        gpu.device().id().value(),
        own,
        neighbours,
        reported.speed,
        now,
        reported.source,
        "");
  }

  private void requireUnchanged(GpuSnapshot gpu, List<Tenant> tenants, Instant now)
      throws NotCountedException {
    Instant begin = now.minus(WINDOW);
    Together seen = together.get(gpu.uuid());
    boolean unchanged =
        seen != null && seen.tenants.equals(names(gpu)) && !seen.since.isAfter(begin);
    if (!unchanged || tenants.stream().anyMatch(tenant -> tenant.since().isAfter(begin))) {
      throw new NotCountedException(
          "pods joined, started on or left its GPU within the last "
              + WINDOW.toMinutes()
              + " minutes: report it later");
    }
    Utilization others = UnattributedUsage.of(gpu, tenants, now);
    if (!others.equals(Utilization.IDLE)) {
      throw new NotCountedException(
          "its GPU is busy by " + others + " more than its pods explain: other processes use it");
    }
  }

  private static void requireFullSpeed(Tenant tenant) throws NotCountedException {
    GraphRun run = tenant.run();
    if (run != null && run.settings().load() instanceof Load.RequestRate) {
      throw new NotCountedException(
          "the speed of a service with a request rate is that rate, independent of its neighbours");
    }
  }

  private static SharedJob job(GpuSnapshot gpu, Tenant tenant) throws NotCountedException {
    return jobIfKnown(gpu, tenant)
        .orElseThrow(() ->
            new NotCountedException(
                "the graph of a tenant or the product of the GPU is not known: register the"
                    + " models"));
  }

  /** What a tenant runs; empty where its graph or the product of the GPU is not known. */
  static Optional<SharedJob> jobIfKnown(GpuSnapshot gpu, Tenant tenant) {
    GraphRun run = tenant.run();
    return run == null || !(gpu.device() instanceof Device device)
        ? Optional.empty()
        : Optional.of(GraphJob.of(run, device, tenant.utilization().mean().percent()));
  }
}
