package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.gate.state.ClusterState;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Expected state of a node's GPUs after the eviction of some pods.
 *
 * <p>A GPU without any other occupant is expected to be idle. Elsewhere the upper bounds of memory
 * and the means of utilization of the pods that have started are taken off the measurements: at
 * least what they use. The pod that takes their place is decided on again, by measurements, once
 * they are gone.
 */
final class GpusAfterEviction {
  private final ClusterState cluster;

  GpusAfterEviction(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** The GPUs of a node without these pods. */
  ClusterSnapshot of(String node, List<Victim> leaving) {
    return cluster
        .snapshot()
        .hypotheticalPart(without(cluster.without(uids(leaving), node), leaving));
  }

  /** The same without nominations. */
  List<GpuSnapshot> bound(String node, Set<String> uids, List<Victim> leaving) {
    return without(cluster.boundWithout(uids, node), leaving);
  }

  private static Set<String> uids(List<Victim> leaving) {
    return leaving.stream().map(victim -> victim.pod().uid()).collect(Collectors.toSet());
  }

  private static List<GpuSnapshot> without(List<GpuSnapshot> remaining, List<Victim> leaving) {
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (GpuSnapshot gpu : remaining) {
      List<Grant> started =
          leaving.stream()
              .filter(Victim::isStarted)
              .flatMap(victim -> victim.grant().admitted().grants().stream())
              .filter(grant -> grant.gpuUuid().equals(gpu.uuid()))
              .toList();
      gpus.add(started.isEmpty() ? gpu : unused(gpu, started));
    }
    return gpus;
  }

  private static GpuSnapshot unused(GpuSnapshot gpu, List<Grant> started) {
    if (!(gpu.memory() instanceof MemoryObservation.Measured measured)) {
      return gpu;
    }
    boolean idle = gpu.tenancy() instanceof Tenancy.Shared shared && shared.tenants().isEmpty();
    MemorySize memory = MemorySize.ZERO;
    double percent = 0;
    for (Grant grant : started) {
      @Nullable Prediction prediction = grant.prediction();
      memory = prediction == null ? memory : memory.plus(prediction.peakMemory().upper());
      percent += prediction == null ? 0 : prediction.utilization().mean().percent();
    }
    MemoryObservation.Measured left =
        new MemoryObservation.Measured(
            idle ? MemorySize.ZERO : measured.lastUsed().minusOrZero(memory),
            idle ? MemorySize.ZERO : measured.windowPeak().minusOrZero(memory),
            measured.age(),
            measured.window(),
            List.of(),
            measured.grantsBeyond());
    @Nullable Utilization observed = gpu.observedUtilization();
    @Nullable Utilization rest =
        idle || observed == null
            ? null
            : Utilization.ofPercentClipped(observed.percent() - percent);
    return new GpuSnapshot(
        gpu.uuid(),
        gpu.node(),
        gpu.device(),
        gpu.capacity(),
        gpu.tenancy(),
        left,
        rest,
        gpu.index());
  }
}
