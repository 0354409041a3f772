package dev.cotenant.placement.fleet;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Inference to be served.
 *
 * @param name unique in the fleet
 * @param sloMillis the latency objective of a request in milliseconds, waiting included, positive
 * @param requestsPerSecond the rate to keep up with, positive
 * @param memory memory on a GPU at any batch; null if unknown, which counts as zero
 * @param memoryByBatch memory by batch, at most {@code memory}; null if memory does not depend on
 *     the batch
 * @param profiles its coefficients by device id; devices that are not in it cannot serve it
 */
public record Service(
    String name,
    double sloMillis,
    double requestsPerSecond,
    @Nullable MemorySize memory,
    @Nullable MemoryByBatch memoryByBatch,
    Map<String, WorkloadProfile> profiles) {
  public Service {
    profiles = Map.copyOf(profiles);
    requirePositive(name, "latency objective", sloMillis);
    requirePositive(name, "request rate", requestsPerSecond);
    if (memoryByBatch != null && !memoryByBatch.most().equals(memory)) {
      throw new IllegalArgumentException("memory must be that of the largest batch");
    }
  }

  /** Whose memory does not depend on the batch. */
  public Service(
      String name,
      double sloMillis,
      double requestsPerSecond,
      @Nullable MemorySize memory,
      Map<String, WorkloadProfile> profiles) {
    this(name, sloMillis, requestsPerSecond, memory, null, profiles);
  }

  /** Copy with memory by batch. */
  public Service with(MemoryByBatch byBatch) {
    return new Service(name, sloMillis, requestsPerSecond, byBatch.most(), byBatch, profiles);
  }

  /** Copy with a memory that does not depend on the batch. */
  public Service holding(@Nullable MemorySize other) {
    return new Service(name, sloMillis, requestsPerSecond, other, null, profiles);
  }

  /** Copy with a different rate, in requests a second. */
  public Service atRate(double otherPerSecond) {
    return new Service(name, sloMillis, otherPerSecond, memory, memoryByBatch, profiles);
  }

  /** Copy with a different latency objective, in milliseconds. */
  public Service within(double otherMillis) {
    return new Service(name, otherMillis, requestsPerSecond, memory, memoryByBatch, profiles);
  }

  /** The same with other coefficients. */
  public Service with(Map<String, WorkloadProfile> others) {
    return new Service(name, sloMillis, requestsPerSecond, memory, memoryByBatch, others);
  }

  /** The same under another name. */
  public Service named(String other) {
    return new Service(other, sloMillis, requestsPerSecond, memory, memoryByBatch, profiles);
  }

  /** Memory on a GPU at a batch; zero if unknown. */
  public MemorySize memoryAt(int batch) {
    if (memoryByBatch != null) {
      return memoryByBatch.at(batch);
    }
    return memory == null ? MemorySize.ZERO : memory;
  }

  private static void requirePositive(String name, String what, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw InputException.invalidArgument(
          "workload-out-of-range",
          "The " + what + " of workload '" + name + "' must be above 0, is " + value + ".");
    }
  }
}
