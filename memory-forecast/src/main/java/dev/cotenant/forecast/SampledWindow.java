package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.Nanoseconds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A series as plain numbers: bytes, and the stretches between gaps.
 *
 * <p>A gap is a step longer than {@link #MAX_STEP_RATIO} times the median step, so one missed
 * scrape (a step of twice the median) is a gap and ordinary jitter is not.
 */
final class SampledWindow {
  /** Halfway between a scrape that is on time and one that was missed. */
  private static final double MAX_STEP_RATIO = 1.5;

  private static final double MEDIAN = 0.5;

  private final double[] bytes;
  private final double[] stepSeconds;

  SampledWindow(MemorySeries series) {
    List<MemorySample> samples = series.samples();
    bytes = samples.stream().mapToDouble(sample -> sample.used().bytes()).toArray();
    stepSeconds = new double[Math.max(0, samples.size() - 1)];
    for (int i = 0; i < stepSeconds.length; i++) {
      stepSeconds[i] = seconds(samples.get(i).at(), samples.get(i + 1).at());
    }
  }

  private static double seconds(Instant from, Instant to) {
    Duration step = Duration.between(from, to);
    return step.getSeconds() + step.getNano() / Nanoseconds.PER_SECOND;
  }

  /** Used bytes, oldest first. */
  double[] bytes() {
    return bytes.clone();
  }

  /** Used bytes of the newest sample; the window must not be empty. */
  double newest() {
    return bytes[bytes.length - 1];
  }

  /** Seconds between samples; the window must hold two. */
  double medianStepSeconds() {
    return SampleStatistics.percentile(stepSeconds, MEDIAN);
  }

  /** The bytes cut at every gap, oldest first; together they hold every sample. */
  List<double[]> runs() {
    if (bytes.length < 2) {
      return List.of(bytes());
    }
    double longest = MAX_STEP_RATIO * medianStepSeconds();
    List<double[]> runs = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < stepSeconds.length; i++) {
      if (stepSeconds[i] > longest) {
        runs.add(Arrays.copyOfRange(bytes, from, i + 1));
        from = i + 1;
      }
    }
    runs.add(Arrays.copyOfRange(bytes, from, bytes.length));
    return runs;
  }
}
