package dev.cotenant.lab.plans;

import dev.cotenant.admission.decision.FittingBatches;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.serving.ProfileSource;
import dev.cotenant.engine.serving.ProfiledServices;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.fleet.Unplaced;
import dev.cotenant.placement.serving.ObjectivePredictions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Profiled services that come one by one, as pods do, each decided as in a cluster of one product:
 * times from its profile, shares and the batch by its objective, the GPU by the decision. A service
 * knows nothing of those that come later and keeps what it got; a rate that no GPU serves alone is
 * divided among the fewest replicas. Memory is not counted, as in plans. Not thread-safe.
 */
public final class DecidedServices {
  private static final Instant NOW = Instant.EPOCH.plus(Duration.ofDays(1));
  private static final Coverage ALWAYS = Coverage.CERTAIN;
  private static final MemorySize LITTLE = MemorySize.ofBytes(1 << 20);
  private static final int MAX_REPLICAS = 256;

  /** GPUs that are free at the beginning. */
  private static final int GPUS = 64;

  private final SharingDecider decider;
  private final SharingLimits limits;
  private final Device device;
  private final Map<Kind, Optional<Prediction>> predictions = new HashMap<>();
  private final Map<String, List<Turn>> turns = new HashMap<>();
  private final List<Unplaced> unplaced = new ArrayList<>();
  private ClusterSnapshot snapshot;

  private record Kind(
      WorkloadProfile profile, DeviceProfile device, double objectiveMillis, double perSecond) {}

  /**
   * No GPU in use yet.
   *
   * @param device that all GPUs are
   */
  public DecidedServices(SharingDecider decider, SharingLimits limits, DeviceId device) {
    this.decider = decider;
    this.limits = limits;
    this.device = DeviceCatalogue.builtIn().require(device.value());
    snapshot = free();
  }

  private ClusterSnapshot free() {
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (int i = 0; i < GPUS; i++) {
      gpus.add(
          new GpuSnapshot(
              String.format("gpu-%03d", i),
              "node",
              device,
              device.memory(),
              new Tenancy.Shared(List.of()),
              new MemoryObservation.Measured(
                  MemorySize.ZERO, MemorySize.ZERO, Duration.ZERO, Duration.ZERO, List.of())));
    }
    return new ClusterSnapshot(NOW, gpus);
  }

  /** Removes all services; predictions of their kinds stay. */
  public void clear() {
    turns.clear();
    unplaced.clear();
    snapshot = free();
  }

  /** Decides about a service, for good; whether all its replicas have a GPU. */
  public boolean admit(Service service, DeviceType type) {
    WorkloadProfile profile = service.profiles().get(device.id().value());
    DeviceProfile coefficients = type.profile();
    if (profile == null || coefficients == null) {
      return refuse(service, new PlanReason.NotProfiled(device.id().value()));
    }
    for (int replicas = 1; replicas <= MAX_REPLICAS; replicas++) {
      double perSecond = service.requestsPerSecond() / replicas;
      Kind kind = new Kind(profile, coefficients, service.sloMillis(), perSecond);
      Prediction prediction = predictions.computeIfAbsent(kind, this::predicted).orElse(null);
      if (prediction != null) {
        return admit(service, prediction, perSecond, replicas);
      }
    }
    return refuse(
        service,
        new PlanReason.RateUnreachable(device.id().value(), 0, service.requestsPerSecond()));
  }

  private boolean refuse(Service service, PlanReason why) {
    unplaced.add(new Unplaced(service.name(), List.of(why)));
    return false;
  }

  /** With the batch that needs the least share; empty where none meets the objective. */
  private Optional<Prediction> predicted(Kind kind) {
    ProfiledServices profiled = new ProfiledServices(new OneProfile(kind.profile, kind.device));
    Duration objective =
        Duration.ofNanos(Math.round(kind.objectiveMillis * Milliseconds.PER_SECOND * 1e3));
    RunSettings settings =
        RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32)
            .withLoad(new Load.RequestRate(kind.perSecond));
    return FittingBatches.of(
            batch -> {
              Workload workload = new Workload(kind.profile.name(), batch, settings);
              Prediction timed =
                  profiled.adjust("", workload, untimed(workload), limits.objectiveLevel());
              return Optional.of(
                  ObjectivePredictions.of(
                      Map.of(device.id(), timed),
                      objective,
                      _ -> new ObjectivePredictions.Limiting.ToShare(limits.slowdown())));
            },
            _ -> true)
        .map(best -> best.get(device.id()));
  }

  private Prediction untimed(Workload workload) {
    Utilization idle = Utilization.IDLE;
    return new Prediction(
        device.id(),
        workload.batchSize(),
        workload.settings(),
        new UtilizationEstimate(idle, idle, idle, ALWAYS),
        new MemoryEstimate(LITTLE, LITTLE, LITTLE, ALWAYS),
        "profile",
        List.of());
  }

  private boolean admit(Service service, Prediction prediction, double perSecond, int replicas) {
    ClusterSnapshot before = snapshot;
    Map<String, List<Turn>> servedBefore = copy(turns);
    for (int i = 0; i < replicas; i++) {
      PlacementRequest.Share request =
          new PlacementRequest.Share(
              service.name() + "/" + i, Map.of(device.id(), prediction), limits);
      if (!(decider.decide(snapshot, request) instanceof Decision.Admitted admitted)) {
        snapshot = before;
        turns.clear();
        turns.putAll(servedBefore);
        return refuse(service, new PlanReason.PartsLimit(device.id().value(), replicas, GPUS));
      }
      grant(service.name(), request.workload(), admitted, perSecond);
    }
    return true;
  }

  private static Map<String, List<Turn>> copy(Map<String, List<Turn>> turns) {
    Map<String, List<Turn>> copy = new HashMap<>();
    turns.forEach((gpu, served) -> copy.put(gpu, new ArrayList<>(served)));
    return copy;
  }

  private void grant(String service, String replica, Decision.Admitted admitted, double perSecond) {
    Grant grant = admitted.grants().getFirst();
    Prediction prediction = Objects.requireNonNull(grant.prediction());
    GpuSnapshot gpu = snapshot.find(grant.gpuUuid()).orElseThrow();
    List<Tenant> tenants = new ArrayList<>(((Tenancy.Shared) gpu.tenancy()).tenants());
    tenants.add(
        new Tenant(
                replica,
                prediction.utilization(),
                prediction.peakMemory(),
                ((Evidence.WithinLimits) admitted.evidence()).limits().slowdown(),
                NOW.minus(Duration.ofHours(1)))
            .inPartition(prediction.partition()));
    snapshot = snapshot.with(List.of(gpu.withTenancy(new Tenancy.Shared(tenants))));
    turns
        .computeIfAbsent(grant.gpuUuid(), _ -> new ArrayList<>())
        .add(new Turn(service, prediction.batchSize(), perSecond));
  }

  /** What is placed so far. */
  public FleetPlan plan() {
    List<PlannedGpu> planned = new ArrayList<>();
    for (GpuSnapshot gpu : snapshot.gpus()) {
      List<Tenant> tenants = ((Tenancy.Shared) gpu.tenancy()).tenants();
      List<Partition> partitions = new ArrayList<>();
      for (int i = 0; i < tenants.size(); i++) {
        partitions.add(
            Partition.of(
                Objects.requireNonNull(tenants.get(i).partition()).share(),
                turns.getOrDefault(gpu.uuid(), List.of()).get(i)));
      }
      if (!partitions.isEmpty()) {
        planned.add(PlannedGpu.serving(device.id().value(), partitions));
      }
    }
    return new FleetPlan("decide", planned, List.copyOf(unplaced), OptionalInt.empty(), List.of());
  }

  /** Of one service. */
  private record OneProfile(WorkloadProfile profile, DeviceProfile coefficients)
      implements ProfileSource {
    @Override
    public boolean isEmpty() {
      return false;
    }

    @Override
    public Optional<WorkloadProfile> workload(String namespace, String name, DeviceId device) {
      return Optional.of(profile);
    }

    @Override
    public Optional<DeviceProfile> device(String namespace, DeviceId device) {
      return Optional.of(coefficients);
    }
  }
}
