package dev.cotenant.lab.cluster;

import dev.cotenant.datasets.cluster.ClusterTrace;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The product's own decision within given limits; a requested share of a GPU counts as predicted
 * utilization and memory. It ignores hosts: nodes without enough free resources or of a different
 * model are hidden from it, as by a scheduler's filters.
 */
final class DecidedPacker implements Packer {
  private static final Instant NOW = Instant.EPOCH.plus(Duration.ofDays(1));
  private static final Duration WINDOW = Duration.ofMinutes(5);
  private static final double MILLI_PER_PERCENT = 10;
  private static final Coverage ALWAYS = Coverage.of(1);

  private final SharingDecider decider;
  private final SharingLimits limits;
  private final Device device;
  private final Map<String, Integer> nodeOf = new HashMap<>();
  private final Map<String, Tenancy> held = new HashMap<>();
  private final Set<Integer> hidden = new HashSet<>();
  private ClusterSnapshot snapshot = new ClusterSnapshot(NOW, List.of());

  /**
   * Decides within these limits.
   *
   * @param device stand-in for all products of the trace, without effect on decisions
   */
  DecidedPacker(SharingDecider decider, SharingLimits limits, Device device) {
    this.decider = decider;
    this.limits = limits;
    this.device = device;
  }

  @Override
  public Optional<Spot> choose(ClusterTrace.Pod pod, List<NodeState> nodes) {
    if (nodeOf.isEmpty()) {
      open(nodes);
    }
    if (pod.gpus() == 0) {
      return new Scored(new Scored.First()).choose(pod, nodes);
    }
    showOnlyHostsWithRoom(pod, nodes);
    if (!(decider.decide(snapshot, request(pod)) instanceof Decision.Admitted admitted)) {
      return Optional.empty();
    }
    List<Grant> grants = admitted.grants();
    grant(pod, grants);
    return Optional.of(
        new Spot(
            nodes.get(nodeOf.getOrDefault(grants.getFirst().gpuUuid(), -1)),
            grants.stream().map(grant -> gpu(grant.gpuUuid())).toList()));
  }

  private void open(List<NodeState> nodes) {
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (NodeState node : nodes) {
      for (int i = 0; i < node.gpus(); i++) {
        String uuid = uuid(node, i);
        nodeOf.put(uuid, node.index());
        Tenancy.Shared free = new Tenancy.Shared(List.of());
        held.put(uuid, free);
        gpus.add(
            new GpuSnapshot(
                uuid, node.name(), device, device.memory(), free, observation(MemorySize.ZERO)));
      }
    }
    snapshot = new ClusterSnapshot(NOW, gpus);
  }

  private static String uuid(NodeState node, int gpu) {
    return node.name() + "/" + gpu;
  }

  private static int gpu(String uuid) {
    return Integer.parseInt(uuid.substring(uuid.lastIndexOf('/') + 1));
  }

  /** Shows the nodes whose hosts have enough free resources, among those whose GPUs do. */
  private void showOnlyHostsWithRoom(ClusterTrace.Pod pod, List<NodeState> nodes) {
    List<GpuSnapshot> changed = new ArrayList<>();
    for (NodeState node : nodes) {
      boolean hides = hidden.contains(node.index());
      if (node.gpusFit(pod) && node.hostFits(pod) == hides) {
        if (hides) {
          hidden.remove(node.index());
        } else {
          hidden.add(node.index());
        }
        changed.addAll(gpus(node));
      }
    }
    snapshot = snapshot.with(changed);
  }

  private List<GpuSnapshot> gpus(NodeState node) {
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (int i = 0; i < node.gpus(); i++) {
      GpuSnapshot gpu = snapshot.find(uuid(node, i)).orElseThrow();
      Tenancy tenancy =
          hidden.contains(node.index())
              ? new Tenancy.Exclusive("a host without room")
              : held.getOrDefault(gpu.uuid(), gpu.tenancy());
      gpus.add(gpu.withTenancy(tenancy));
    }
    return gpus;
  }

  private void grant(ClusterTrace.Pod pod, List<Grant> grants) {
    List<GpuSnapshot> changed = new ArrayList<>();
    for (Grant grant : grants) {
      GpuSnapshot gpu = snapshot.find(grant.gpuUuid()).orElseThrow();
      List<Tenant> tenants = new ArrayList<>();
      if (gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> before)) {
        tenants.addAll(before);
      }
      Prediction predicted = prediction(pod);
      tenants.add(
          new Tenant(
              pod.name(),
              predicted.utilization(),
              predicted.peakMemory(),
              limits.slowdown(),
              Instant.EPOCH));
      Tenancy after = new Tenancy.Shared(tenants);
      held.put(gpu.uuid(), after);
      MemorySize used =
          tenants.stream()
              .map(tenant -> tenant.peakMemory().upper())
              .reduce(MemorySize.ZERO, MemorySize::plus);
      changed.add(gpu.withTenancy(after).withMemory(observation(used)));
    }
    snapshot = snapshot.with(changed);
  }

  private PlacementRequest request(ClusterTrace.Pod pod) {
    Map<DeviceId, Prediction> predictions = Map.of(device.id(), prediction(pod));
    return pod.gpus() == 1
        ? new PlacementRequest.Share(pod.name(), predictions, limits)
        : new PlacementRequest.Whole(
            pod.name(), pod.gpus(), new ExclusiveCause.SeveralGpus(), predictions);
  }

  private Prediction prediction(ClusterTrace.Pod pod) {
    Utilization busy = Utilization.ofPercent(pod.gpuMilli() / MILLI_PER_PERCENT);
    double usable = device.memory().bytes() * (1 - limits.memoryHeadroomFraction());
    MemorySize memory =
        MemorySize.ofBytes((long) (usable * pod.gpuMilli() / ClusterTrace.WHOLE_GPU_MILLI));
    return new Prediction(
        device.id(),
        1,
        RunSettings.DEFAULT,
        new UtilizationEstimate(busy, busy, busy, ALWAYS),
        new MemoryEstimate(memory, memory, memory, ALWAYS),
        "requested",
        List.of());
  }

  private static MemoryObservation observation(MemorySize used) {
    return new MemoryObservation.Measured(used, used, Duration.ZERO, WINDOW, List.of());
  }
}
