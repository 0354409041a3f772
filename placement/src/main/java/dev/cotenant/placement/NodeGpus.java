package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import java.util.ArrayList;
import java.util.List;

/**
 * The GPUs of one node by uuid.
 *
 * @param free those neither granted nor in use
 */
record NodeGpus(String name, List<GpuSnapshot> gpus, List<GpuSnapshot> free) {
  static NodeGpus of(String name, List<GpuSnapshot> gpus) {
    List<GpuSnapshot> free = new ArrayList<>();
    for (GpuSnapshot gpu : gpus) {
      if (FreeGpu.isFree(gpu)) {
        free.add(gpu);
      }
    }
    return new NodeGpus(name, gpus, free);
  }

  /** Copy with a changed GPU. */
  NodeGpus with(GpuSnapshot changed) {
    return of(name, gpus.stream().map(g -> g.uuid().equals(changed.uuid()) ? changed : g).toList());
  }
}
