package dev.cotenant.lab.memory;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.ForecastRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What a monitor has seen of a GPU so far.
 *
 * @param step between two samples
 * @param samples the newest, at most so many
 * @param capacity no reading is above it
 */
record UsedMemorySeries(Duration step, int samples, MemorySize capacity) {
  Instant at(int number) {
    return Instant.EPOCH.plus(step.multipliedBy(number));
  }

  /** Samples before this step, hence without a pod that arrives now. */
  MemorySeries of(MemoryGpu gpu, int now) {
    List<MemorySample> seen = new ArrayList<>();
    for (int i = Math.max(gpu.opened(), now - samples); i < now; i++) {
      MemorySize used = MemorySize.ofBytes(gpu.usedBytes(i)).min(capacity);
      seen.add(new MemorySample(at(i), used));
    }
    return new MemorySeries(seen);
  }

  /** What an estimator is given of a GPU: its series and the requests of its pods. */
  ForecastRequest request(MemoryGpu gpu, int now, MemoryBaselines.Request requests) {
    return new ForecastRequest(
        of(gpu, now), requests.capacity(), requests.requests(gpu, now), at(now));
  }
}
