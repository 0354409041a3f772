package dev.cotenant.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import java.util.Comparator;
import java.util.List;

/** The one order in which GPUs are looked at and named: by node, then uuid. */
final class GpuOrder {
  static final Comparator<GpuSnapshot> BY_NODE_AND_UUID =
      Comparator.comparing(GpuSnapshot::node).thenComparing(GpuSnapshot::uuid);

  private GpuOrder() {}

  static List<GpuSnapshot> sorted(ClusterSnapshot snapshot) {
    return snapshot.gpus().stream().sorted(BY_NODE_AND_UUID).toList();
  }
}
