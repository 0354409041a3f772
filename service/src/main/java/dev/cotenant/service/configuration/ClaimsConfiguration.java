package dev.cotenant.service.configuration;

import static dev.cotenant.service.configuration.Range.between;

import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Optional;
import java.util.OptionalInt;

/** ResourceClaims that Cotenant creates; without {@code sharing} those of the enclosing policy. */
public interface ClaimsConfiguration {
  /** Strategy of sharing in the claim. */
  Optional<Strategy> sharing();

  /** Share of the SMs of each MPS client. */
  OptionalInt threadPercent();

  /** Device memory of each MPS client. */
  Optional<io.quarkus.runtime.configuration.MemorySize> memoryLimit();

  /** Strategies of NVIDIA's DRA driver. */
  enum Strategy {
    /** The driver's default. */
    NONE,
    /** Time-slicing by the driver's settings. */
    TIME_SLICING,
    /** An MPS daemon for each claim. */
    MPS,
    /** A part of the memory for the claim of each pod. Preview. */
    CAPACITY,
    /** The smallest MIG device that holds each pod. Preview. */
    MIG
  }

  /**
   * The sharing of a key, checked.
   *
   * @param base counts where no strategy is set
   */
  static ClaimSharing read(String key, ClaimsConfiguration claims, ClaimSharing base) {
    boolean limited = claims.threadPercent().isPresent() || claims.memoryLimit().isPresent();
    Strategy strategy = claims.sharing().orElse(null);
    if (limited && strategy != Strategy.MPS) {
      throw Range.bad(key + ".sharing", "must be mps with limits of MPS clients");
    }
    return switch (strategy) {
      case null -> base;
      case NONE -> new ClaimSharing.Unset();
      case TIME_SLICING -> new ClaimSharing.TimeSlicing();
      case MPS -> mps(key, claims);
      case CAPACITY -> new ClaimSharing.Capacity();
      case MIG -> new ClaimSharing.Mig();
    };
  }

  private static ClaimSharing mps(String key, ClaimsConfiguration claims) {
    Optional<Integer> percent = between(key + ".thread-percent", claims.threadPercent(), 1, 100);
    Optional<MemorySize> memory =
        claims.memoryLimit().map(limit -> MemorySize.ofBytes(limit.asLongValue()));
    try {
      return new ClaimSharing.Mps(percent.orElse(null), memory.orElse(null));
    } catch (IllegalArgumentException e) {
      throw Range.bad(key + ".memory-limit", "must be at least 1 MiB");
    }
  }
}
