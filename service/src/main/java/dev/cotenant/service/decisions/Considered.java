package dev.cotenant.service.decisions;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An alternative GPU for a granted pod, with its current decision.
 *
 * @param because the limit that it does not keep; null where the pod would be admitted there too
 */
public record Considered(GpuSnapshot gpu, @Nullable Reason because) {
  /** More are not decided about. */
  static final int MAX = 1_000;

  /** As many as people look through. */
  static final int SHOWN = 100;

  /**
   * The other GPUs of a cluster, those that would be admitted first, then by node and uuid.
   *
   * @param own uuids of the pod's GPUs
   * @param decide decides about the pod on a part of the cluster
   */
  static List<Considered> of(
      ClusterSnapshot cluster, Set<String> own, Function<ClusterSnapshot, Decision> decide) {
    List<Considered> all = new ArrayList<>();
    for (GpuSnapshot gpu : cluster.gpus()) {
      if (all.size() == MAX) {
        break;
      }
      if (!own.contains(gpu.uuid())) {
        Decision decision = decide.apply(cluster.part(List.of(gpu)));
        all.add(
            new Considered(
                gpu, decision instanceof Decision.Admitted ? null : decision.reasons().getFirst()));
      }
    }
    all.sort(
        Comparator.<Considered, Boolean>comparing(one -> one.because != null)
            .thenComparing(one -> one.gpu.node())
            .thenComparing(one -> one.gpu.uuid()));
    return List.copyOf(all.subList(0, Math.min(SHOWN, all.size())));
  }
}
