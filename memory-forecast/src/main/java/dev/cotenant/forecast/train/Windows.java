package dev.cotenant.forecast.train;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.forecast.history.SteppedHistory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The instants of a recorded series at which a forecast is made and compared with what followed.
 */
public final class Windows {
  private static final double MAX_STEP_RATIO = 1.5;

  private Windows() {}

  /** Steps of a horizon times the series' median step. */
  public static Duration horizon(MemorySeries series) {
    return step(series).multipliedBy(SteppedHistory.STEPS);
  }

  /** Places in the series after which a whole horizon follows without a gap; ascending. */
  public static int[] ends(MemorySeries series) {
    List<MemorySample> samples = series.samples();
    long longest = (long) (MAX_STEP_RATIO * step(series).toNanos());
    int[] untilGap = new int[samples.size()];
    for (int i = samples.size() - 2; i >= 0; i--) {
      long step = Duration.between(samples.get(i).at(), samples.get(i + 1).at()).toNanos();
      untilGap[i] = step > longest ? 0 : untilGap[i + 1] + 1;
    }
    return IntStream.range(0, samples.size())
        .filter(i -> untilGap[i] >= SteppedHistory.STEPS)
        .toArray();
  }

  /** The median step between two samples; a second of fewer. */
  public static Duration step(MemorySeries series) {
    List<MemorySample> samples = series.samples();
    if (samples.size() < 2) {
      return Duration.ofSeconds(1);
    }
    long[] steps = new long[samples.size() - 1];
    for (int i = 0; i < steps.length; i++) {
      steps[i] = Duration.between(samples.get(i).at(), samples.get(i + 1).at()).toNanos();
    }
    Arrays.sort(steps);
    return Duration.ofNanos(steps[steps.length / 2]);
  }
}
