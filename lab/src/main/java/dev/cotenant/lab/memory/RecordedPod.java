package dev.cotenant.lab.memory;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.List;

/** A pod with the memory that it used, in equal steps from its start. */
final class RecordedPod {
  private final String name;
  private final long[] usedBytes;
  private final MemorySize peak;

  private RecordedPod(String name, long[] usedBytes) {
    this.name = name;
    this.usedBytes = usedBytes;
    long most = 0;
    for (long used : usedBytes) {
      most = Math.max(most, used);
    }
    peak = MemorySize.ofBytes(most);
  }

  /** At every step the newest sample so far. */
  static RecordedPod of(RecordedDevice recorded, Duration step) {
    List<MemorySample> samples = recorded.series().samples();
    Duration lived = Duration.between(samples.getFirst().at(), samples.getLast().at());
    long[] used = new long[(int) lived.dividedBy(step) + 1];
    int newest = 0;
    for (int i = 0; i < used.length; i++) {
      Duration since = step.multipliedBy(i);
      while (newest + 1 < samples.size()
          && Duration.between(samples.getFirst().at(), samples.get(newest + 1).at())
                  .compareTo(since)
              <= 0) {
        newest++;
      }
      used[i] = samples.get(newest).used().bytes();
    }
    return new RecordedPod(recorded.name(), used);
  }

  String name() {
    return name;
  }

  /** The most that it ever used. */
  MemorySize peak() {
    return peak;
  }

  /** How many steps it lives. */
  int steps() {
    return usedBytes.length;
  }

  /** Bytes so many steps after its start; 0 before and after its life. */
  long usedBytes(int step) {
    return step < 0 || step >= usedBytes.length ? 0 : usedBytes[step];
  }
}
