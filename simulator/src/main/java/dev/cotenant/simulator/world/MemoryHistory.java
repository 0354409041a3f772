package dev.cotenant.simulator.world;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The newest samples of a GPU's used memory at whole multiples of a step, as a monitor stores them.
 *
 * @param step between samples
 * @param samples at most so many; 0 records nothing
 * @param newest recorded samples
 */
record MemoryHistory(Duration step, int samples, Deque<Sample> newest) {
  /** Used memory at an instant. */
  record Sample(long at, double bytes) {}

  static MemoryHistory of(WorldSettings.History settings) {
    return new MemoryHistory(settings.step(), settings.samples(), new ArrayDeque<>());
  }

  /** Records a stretch of time in which memory grew linearly; its end belongs to the next one. */
  void record(long from, long to, double bytes, double slope) {
    if (samples == 0) {
      return;
    }
    long nanos = step.toNanos();
    long first = Math.max(Math.ceilDiv(from, nanos), to / nanos - samples);
    for (long tick = first; tick * nanos < to; tick++) {
      newest.addLast(new Sample(tick * nanos, bytes + (tick * nanos - from) * slope));
      if (newest.size() > samples) {
        newest.removeFirst();
      }
    }
  }

  MemorySeries series(long now, MemorySize capacity) {
    List<MemorySample> series = new ArrayList<>(newest.size());
    for (Sample sample : newest) {
      if (sample.at() >= now - samples * step.toNanos()) {
        MemorySize used = MemorySize.ofBytesRoundedUp(Math.max(0, sample.bytes()));
        series.add(new MemorySample(Instant.EPOCH.plusNanos(sample.at()), used.min(capacity)));
      }
    }
    return new MemorySeries(series);
  }
}
