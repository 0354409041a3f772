package dev.cotenant.admission.policy;

import dev.cotenant.domain.quantity.MemorySize;
import org.jspecify.annotations.Nullable;

/** How pods share the GPU of a ResourceClaim, by the configuration of NVIDIA's DRA driver. */
public sealed interface ClaimSharing {
  /** No configuration: the driver's default, time-slicing by the GPU itself. */
  record Unset() implements ClaimSharing {}

  /** Time-slicing with the default interval; needs the driver's gate TimeSlicingSettings. */
  record TimeSlicing() implements ClaimSharing {}

  /**
   * Each pod has a claim of its own, for an amount of the memory of a device that several claims
   * may have [consumable capacity, KEP-5075]; the driver does not enforce it. Preview.
   */
  record Capacity() implements ClaimSharing {}

  /**
   * Each pod has a claim of its own, for the smallest published MIG device that holds it; without
   * one, for a GPU. Preview.
   */
  record Mig() implements ClaimSharing {}

  /**
   * An MPS control daemon for the claim; needs the driver's gate MPSSupport. The limits apply to
   * each client.
   *
   * @param threadPercent share of the SMs that a client may use, 1 to 100; null for all
   * @param memoryLimit device memory that a client may allocate; null for all
   */
  record Mps(@Nullable Integer threadPercent, @Nullable MemorySize memoryLimit)
      implements ClaimSharing {
    public Mps {
      if (threadPercent != null && (threadPercent < 1 || threadPercent > 100)) {
        throw new IllegalArgumentException("threadPercent must be 1 to 100, is " + threadPercent);
      }
      if (memoryLimit != null && memoryLimit.bytes() < 1 << 20) {
        throw new IllegalArgumentException("memoryLimit must be at least 1 MiB, is " + memoryLimit);
      }
    }
  }
}
