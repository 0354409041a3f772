package dev.cotenant.engine.sizing;

import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a pod requested and used of each of its GPUs.
 *
 * @param namespace its namespace
 * @param name its name
 * @param owner the top of its owners, {@code Deployment/llama}; the pod itself where it has none
 * @param product of its GPUs, as the driver names it
 * @param capacity of each, positive
 * @param gpus how many it had
 * @param requested memory of each; null where nothing says so
 * @param predicted upper bound that was filled into its request; null where nothing says so
 * @param used the largest of its GPUs, while it was alone on them; may be empty
 * @param sharedSamples samples that show other pods' memory too, which are left out
 * @param lastSeen its newest sample, shared or not
 * @param reserves whether it is a server of a language model, which holds what it is given
 */
public record PodUsage(
    String namespace,
    String name,
    String owner,
    String product,
    MemorySize capacity,
    int gpus,
    @Nullable MemorySize requested,
    @Nullable MemorySize predicted,
    MemorySeries used,
    int sharedSamples,
    Instant lastSeen,
    boolean reserves) {
  /** Its workload. */
  String workload() {
    return namespace + "/" + owner;
  }

  /** Its series, in the group of its workload; it must have samples. */
  RecordedDevice recorded() {
    return new RecordedDevice(namespace + "/" + name, workload(), used, capacity);
  }
}
