package dev.cotenant.admission.pod;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.ExecutionMode;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a pod's annotations say of its workload.
 *
 * @param model registered name or {@code sha256:…}; null where none is named
 * @param batchSize samples per step; 1 where not said
 * @param mode inference where a latency or request rate is given and nothing else is said, else
 *     training
 * @param gpuMemory memory it declares to need; null where it declares none
 * @param sloLatency latency to be kept; null where none is
 * @param requestRate requests to be answered; null where not said
 * @param maxSlowdown the most it tolerates; null where not said
 * @param unknown names under our prefix that mean nothing, sorted
 */
public record WorkloadAnnotations(
    @Nullable String model,
    int batchSize,
    ExecutionMode mode,
    @Nullable MemorySize gpuMemory,
    @Nullable Duration sloLatency,
    @Nullable RequestRate requestRate,
    @Nullable Slowdown maxSlowdown,
    List<String> unknown) {
  public WorkloadAnnotations {
    unknown = List.copyOf(unknown);
  }

  /** The same with so many samples per step. */
  public WorkloadAnnotations withBatch(int other) {
    return new WorkloadAnnotations(
        model, other, mode, gpuMemory, sloLatency, requestRate, maxSlowdown, unknown);
  }
}
