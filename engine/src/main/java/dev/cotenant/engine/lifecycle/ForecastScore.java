package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.forecast.MemoryForecast.Applies;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.forecast.ForecastRequest;
import dev.cotenant.forecast.PeakBound;
import dev.cotenant.forecast.history.HistoryFeatures;
import dev.cotenant.forecast.trees.PeakModel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * How a model's bound does on GPUs of this cluster, in stretches of one horizon that follow each
 * other and lie after an instant; GPUs that are idle throughout do not count.
 *
 * @param windows stretches that were compared
 * @param coverage share of stretches whose peak was within the bound
 * @param loss mean pinball loss of the bound at the model's coverage, in shares of capacity
 */
record ForecastScore(int windows, double coverage, double loss) {
  /** Fewer decide nothing. */
  static final int MIN_WINDOWS = 20;

  /** Minimum number of samples before the first window. */
  private static final int MIN_SAMPLES = 10;

  /** The scored model, its horizon and period, and the deadline check. */
  record Judged(PeakModel model, Duration horizon, Instant after, Runnable deadline) {}

  static ForecastScore of(Judged judged, List<GpuReading> readings) {
    Sum sum = new Sum(judged);
    for (GpuReading reading : readings) {
      judged.deadline.run();
      sum.add(reading);
    }
    return sum.score();
  }

  private static final class Sum {
    private final Judged judged;
    private final PeakBound bound;
    private final double level;
    private int windows;
    private int held;
    private double loss;

    Sum(Judged judged) {
      this.judged = judged;
      bound = new PeakBound(judged.model, judged.horizon);
      level = judged.model.coverage().fraction();
    }

    /** Stretches begin at the first sample a horizon or more after the one before. */
    void add(GpuReading gpu) {
      List<MemorySample> samples = gpu.usedMemory().samples();
      int end = samples.size();
      for (int now = MIN_SAMPLES; now < end; now++) {
        Instant begins = samples.get(now).at();
        Instant ends = begins.plus(judged.horizon);
        if (begins.isBefore(judged.after) || ends.isAfter(samples.getLast().at())) {
          continue;
        }
        int next = now + 1;
        while (next < end && !samples.get(next).at().isAfter(ends)) {
          next++;
        }
        compare(gpu, samples.subList(0, now + 1), samples.subList(now + 1, next));
        now = next - 2;
      }
    }

    private void compare(GpuReading gpu, List<MemorySample> seen, List<MemorySample> coming) {
      double capacity = gpu.capacity().bytes();
      double peak = most(coming);
      if (coming.isEmpty() || Math.max(peak, most(seen)) < HistoryFeatures.IDLE_SHARE * capacity) {
        return;
      }
      MemorySeries series = new MemorySeries(seen);
      ForecastRequest request =
          new ForecastRequest(series, gpu.capacity(), null, seen.getLast().at());
      if (bound.forecast(request).result() instanceof Applies applies) {
        double above = (peak - applies.peakUpper().bytes()) / capacity;
        loss += Math.max(level * above, (level - 1) * above);
        held += above <= 0 ? 1 : 0;
        windows++;
      }
    }

    private static double most(List<MemorySample> samples) {
      return samples.stream().mapToDouble(sample -> sample.used().bytes()).max().orElse(0);
    }

    ForecastScore score() {
      return windows == 0
          ? new ForecastScore(0, 0, 0)
          : new ForecastScore(windows, (double) held / windows, loss / windows);
    }
  }

  /**
   * Whether the bound is better, and its coverage is at least the stated one or the other's.
   *
   * @param stated share of peaks that the bound is to hold for
   */
  boolean beats(ForecastScore other, double stated) {
    return windows >= MIN_WINDOWS
        && loss < other.loss
        && coverage >= Math.min(stated, other.coverage);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "loss of the bound %.5f of capacity, %.1f %% below it, %d stretches",
        loss,
        coverage * 100,
        windows);
  }
}
