package dev.cotenant.simulator.policy;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.simulator.world.GpuView;
import dev.cotenant.simulator.world.JobView;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.View;

/**
 * Trusts memory requests: the fullest GPU on which they fit (binpack), else an idle one. Alibaba's
 * gpushare scheduler extender.
 *
 * @param tenants at most so many jobs on a GPU
 */
record GpuShare(int tenants) implements Policy {
  @Override
  public Placement place(JobView job, View view) {
    GpuView best = null;
    long bestLeft = Long.MAX_VALUE;
    for (int n = 1; n < tenants; n++) {
      for (GpuView gpu : view.openWith(n)) {
        long left = left(gpu) - requested(job, gpu).bytes();
        if (left >= 0 && left < bestLeft && view.mayJoin(job, gpu)) {
          best = gpu;
          bestLeft = left;
        }
      }
    }
    return best != null ? Placement.on(best) : onIdle(view);
  }

  private static Placement onIdle(View view) {
    return view.idle().isEmpty() ? Placement.waiting() : Placement.on(view.idle().first());
  }

  private static long left(GpuView gpu) {
    long left = gpu.kind().capacity().bytes();
    for (JobView tenant : gpu.tenants()) {
      left -= requested(tenant, gpu).bytes();
    }
    return left;
  }

  /** Requests above the GPU's capacity count as the whole GPU. */
  private static MemorySize requested(JobView job, GpuView gpu) {
    return job.submission().requestedMemory().min(gpu.kind().capacity());
  }

  @Override
  public Object schedulingClass(JobView job) {
    return new Request(job.submission().configuration(), job.submission().requestedMemory());
  }

  private record Request(String configuration, MemorySize memory) {}
}
