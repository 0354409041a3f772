package dev.cotenant.forecast.prometheus;

import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One GPU as its metrics show it.
 *
 * @param uuid the driver's name for it
 * @param node label {@code hostname} or {@code Hostname}; empty where there is none
 * @param modelName label {@code modelName}; empty where there is none
 * @param mig whether series of MIG instances were there
 * @param capacity used + free memory, what workloads can use; null where not measured
 * @param used used-memory samples; the newest has its own time, not that of the question
 * @param utilization mean over the window; null where not measured, as on MIG
 * @param pods that the exporter maps to it, as {@code namespace/pod}; may lag behind by seconds
 * @param index label {@code gpu}, its number on the node; null where there is none
 */
public record DeviceMetrics(
    String uuid,
    String node,
    String modelName,
    boolean mig,
    @Nullable MemorySize capacity,
    MemorySeries used,
    @Nullable Utilization utilization,
    List<String> pods,
    @Nullable Integer index) {
  public DeviceMetrics {
    pods = List.copyOf(pods);
  }
}
