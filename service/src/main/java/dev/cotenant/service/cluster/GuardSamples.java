package dev.cotenant.service.cluster;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.guard.Signal;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SoloSpeed;
import dev.cotenant.engine.risk.SpeedMemory;
import dev.cotenant.interference.risk.GraphJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compares speeds and latencies of pods with the limits of their grants, for the guard. A speed is
 * compared with the speed alone of its configuration on that product, once that was measured twice
 * in the pod's namespace; before, it says nothing. Safe for use by several threads.
 */
public final class GuardSamples {
  /** One standard deviation of a 99 % quantile or a mean of two minutes, as a share. */
  private static final double LATENCY_NOISE = 0.1;

  /**
   * One standard deviation of the mean rate of two minutes, of some hundred requests, as a share.
   */
  private static final double RATE_NOISE = 0.1;

  /** A larger ratio, as that of a pod that makes no step, counts as this. */
  private static final double MAX_SLOWDOWN = 1_000;

  private final Supplier<GateView> view;
  private final SpeedMemory speeds;
  private final Consumer<List<Sample>> guard;

  /**
   * @param view what the gate knows; without grants where this process does not lead
   * @param speeds speeds alone
   * @param guard takes samples
   */
  public GuardSamples(Supplier<GateView> view, SpeedMemory speeds, Consumer<List<Sample>> guard) {
    this.view = view;
    this.speeds = speeds;
    this.guard = guard;
  }

  /** A tenant and its GPU. */
  record Placed(GpuSnapshot gpu, Tenant tenant, int tenants) {}

  /** The place of a pod with a share; empty for others. */
  static Optional<Placed> placed(GateView known, Holding held) {
    String name = held.pod().pod().toString();
    String uuid = held.decision().grants().getFirst().gpuUuid();
    @Nullable GpuSnapshot gpu = known.cluster().find(uuid).orElse(null);
    if (gpu == null || !(gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants))) {
      return Optional.empty();
    }
    return tenants.stream()
        .filter(tenant -> tenant.name().equals(name))
        .findFirst()
        .map(tenant -> new Placed(gpu, tenant, tenants.size()));
  }

  /** Speeds that pods reported, which the guard counts. */
  public void reported(List<MeasuredSpeed> rows) {
    GateView known = view.get();
    List<Sample> samples = new ArrayList<>();
    for (MeasuredSpeed row : rows) {
      @Nullable Holding held =
          known.granted().get(new PodIdentity(row.namespace(), row.pod(), null));
      if (held != null && !row.isAlone()) {
        speed(known, held, row.speed(), row.at()).ifPresent(samples::add);
      }
    }
    add(samples);
  }

  /** Passes samples on. */
  void add(List<Sample> samples) {
    if (!samples.isEmpty()) {
      guard.accept(samples);
    }
  }

  /**
   * A speed beside others; empty where the speed alone is not known, or where the speed of the pod
   * is its request rate.
   *
   * @param speed in steps or samples per second, 0 for a pod that makes none
   * @param at when it was measured
   */
  Optional<Sample> speed(GateView known, Holding held, double speed, Instant at) {
    @Nullable Placed placed = placed(known, held).filter(one -> one.tenants > 1).orElse(null);
    @Nullable GraphRun run = placed == null ? null : placed.tenant.run();
    boolean isSpeed = speed >= 0 && speed <= SpeedReports.MAX_SPEED;
    if (placed == null
        || run == null
        || !isSpeed
        || run.settings().load() instanceof Load.RequestRate
        || !(placed.gpu.device() instanceof Device device)) {
      return Optional.empty();
    }
    Slowdown slowdownLimit = placed.tenant.slowdownLimit();
    String configuration =
        GraphJob.of(run, device, placed.tenant.utilization().mean().percent()).configuration();
    @Nullable SoloSpeed alone =
        speeds.alone(held.pod().pod().namespace(), device.id().value(), configuration).orElse(null);
    if (alone == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Sample(
            held.pod().uid(),
            Signal.SLOWDOWN,
            Math.min(MAX_SLOWDOWN, alone.median() / speed),
            slowdownLimit.ratio(),
            Math.hypot(SpeedMemory.NOISE, alone.deviation()),
            at));
  }

  /**
   * A rate beside the stated one, or beside the measured one that its grant counts; empty where it
   * counts none, and for absurd numbers.
   */
  static Optional<Sample> rate(WatchedPod pod, double perSecond, Instant at) {
    boolean isRate = perSecond >= 0 && perSecond <= SpeedReports.MAX_SPEED;
    OptionalDouble counted = isRate ? countedRate(pod) : OptionalDouble.empty();
    return counted.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Sample(pod.uid(), Signal.RATE, perSecond, counted.getAsDouble(), RATE_NOISE, at));
  }

  private static OptionalDouble countedRate(WatchedPod pod) {
    return pod.request() instanceof Colocatable request
            && request.workload().settings().load() instanceof Load.RequestRate(double stated, _)
        ? OptionalDouble.of(stated)
        : GrantAnnotations.measuredRate(pod.annotations());
  }

  /** A latency beside others; empty for pods without an objective, and for absurd numbers. */
  static Optional<Sample> latency(WatchedPod pod, double seconds, Instant at) {
    @Nullable Duration objective =
        pod.request() instanceof Colocatable request ? request.workload().sloLatency() : null;
    boolean isLatency = seconds > 0 && seconds <= Duration.ofDays(1).toSeconds();
    return objective == null || !isLatency
        ? Optional.empty()
        : Optional.of(
            new Sample(
                pod.uid(),
                Signal.LATENCY,
                seconds,
                objective.toNanos() / (double) Duration.ofSeconds(1).toNanos(),
                LATENCY_NOISE,
                at));
  }
}
