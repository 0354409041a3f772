package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Input of a forecaster for one device.
 *
 * @param series its used-memory samples up to now; may be empty
 * @param capacity memory that workloads can use, positive
 * @param granted the memory requests already granted on it, in any order; null where not known
 * @param now when the forecast is made; ages are counted from here
 */
public record ForecastRequest(
    MemorySeries series, MemorySize capacity, @Nullable List<MemorySize> granted, Instant now) {
  public ForecastRequest {
    granted = granted == null ? null : List.copyOf(granted);
    if (capacity.bytes() == 0) {
      throw new IllegalArgumentException("capacity must be positive, is " + capacity);
    }
  }

  /** Sum of what is granted; it stops at the largest representable size. */
  static MemorySize total(List<MemorySize> granted) {
    long total = 0;
    for (MemorySize grant : granted) {
      total += Math.min(grant.bytes(), Long.MAX_VALUE - total);
    }
    return MemorySize.ofBytes(total);
  }
}
