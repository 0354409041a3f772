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
 * @param owner topmost owner, {@code Deployment/llama}; the pod itself without owners
 * @param product product of its GPUs, as named by the driver
 * @param capacity of each, positive
 * @param gpus how many it had
 * @param requested memory of each; null where nothing says so
 * @param predicted upper bound that was filled into its request; null where nothing says so
 * @param used largest of its GPUs while it was alone on them; may be empty
 * @param sharedSamples samples that show other pods' memory too, which are left out
 * @param lastSeen its newest sample, shared or not
 * @param reserves whether it is a language-model server, which reserves the memory that it is given
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

  /** Its series, grouped by workload; samples are required. */
  RecordedDevice recorded() {
    return new RecordedDevice(namespace + "/" + name, workload(), used, capacity);
  }
}
