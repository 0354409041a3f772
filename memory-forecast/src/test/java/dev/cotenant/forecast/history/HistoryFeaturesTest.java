package dev.cotenant.forecast.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class HistoryFeaturesTest {
  private static final double CAPACITY = MemorySize.ofMiB(1000).bytes();

  /** A sample a minute, its size in MiB. */
  private static SteppedHistory minutes(int count, IntToDoubleFunction mib) {
    List<MemorySample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      samples.add(
          new MemorySample(
              Instant.EPOCH.plusSeconds(60L * i), MemorySize.ofMiB((long) mib.applyAsDouble(i))));
    }
    return SteppedHistory.of(new MemorySeries(samples), Duration.ofMinutes(10));
  }

  private static double feature(SteppedHistory history, String name) {
    return HistoryFeatures.of(history, CAPACITY)[HistoryFeatures.NAMES.indexOf(name)];
  }

  @Test
  void hasOneNumberForEachName() {
    assertThat(HistoryFeatures.NAMES).doesNotHaveDuplicates();
    assertThat(HistoryFeatures.of(minutes(40, i -> 100), CAPACITY))
        .hasSize(HistoryFeatures.NAMES.size());
  }

  @Test
  void rememberWhatFollowedTheStepsThatWereAlike() {
    // 100 MiB, but 200 at step 5 and 150 at step 12; 25 steps, the reference is 200 MiB. Steps 0 to
    // 14 have ten after them; all but 5 and 12 are like the newest, 13 of them. 200 lies ahead of
    // 0 to 4, 150 of 6 to 11, nothing of 13 and 14: peaks 5 x 200, 6 x 150, 2 x 100.
    SteppedHistory history = minutes(25, i -> i == 5 ? 200 : i == 12 ? 150 : 100);
    assertThat(feature(history, "steps_alike")).isEqualTo(13);
    assertThat(feature(history, "peak_after_alike_p50")).isCloseTo(0.25, within(1e-6));
    assertThat(feature(history, "peak_after_alike_p90")).isCloseTo(0.5, within(1e-6));
    assertThat(feature(history, "peak_after_alike_most")).isCloseTo(0.5, within(1e-6));
    // the next step was another one after 4 and 11 only
    assertThat(feature(history, "next_after_alike_p50")).isZero();
    assertThat(feature(history, "next_after_alike_p75")).isZero();
  }

  @Test
  void sayWhereNothingWasAlike() {
    SteppedHistory history = minutes(25, i -> i == 24 ? 50 : 100);
    assertThat(feature(history, "steps_alike")).isZero();
    assertThat(feature(history, "peak_after_alike_most")).isEqualTo(-1);
    assertThat(feature(history, "next_after_alike_p50")).isZero();
  }

  @Test
  void countTheStepsSinceRisesAndFalls() {
    // 100, up to 300 at 10, down to 295 at 13, to 200 at 16, up to 210 at 18; the newest is 20
    SteppedHistory history =
        minutes(21, i -> i < 10 ? 100 : i < 13 ? 300 : i < 16 ? 295 : i < 18 ? 200 : 210);
    assertThat(feature(history, "steps_since_max_all")).isEqualTo(8);
    assertThat(feature(history, "steps_since_near_max_all")).isEqualTo(5);
    assertThat(feature(history, "steps_since_rise")).isEqualTo(2);
    assertThat(feature(history, "steps_since_fall")).isEqualTo(4);
    // 210 at 18 is not above the 295 of five steps before it, 300 at 10 was
    assertThat(feature(history, "steps_since_high_5")).isEqualTo(10);
    assertThat(feature(history, "steps_since_more")).isEqualTo(5);
  }

  @Test
  void countTheWholeLengthOfWhatNeverHappened() {
    SteppedHistory history = minutes(30, i -> 100);
    for (String name :
        List.of("steps_since_rise", "steps_since_fall", "steps_since_high_5", "steps_since_more")) {
      assertThat(feature(history, name)).describedAs(name).isEqualTo(30);
    }
    assertThat(feature(history, "steps_since_max_all")).isZero();
    assertThat(feature(minutes(1, i -> 0), "steps_since_rise")).isEqualTo(1);
  }

  @Test
  void haveNoScale() {
    SplittableRandom random = new SplittableRandom(5);
    for (int length : new int[] {1, 4, 11, 60, 360}) {
      List<Double> sizes =
          Collections.nCopies(length, 0).stream()
              .map(_ -> (double) random.nextInt(10, 100))
              .toList();
      float[] small = HistoryFeatures.of(minutes(length, sizes::get), CAPACITY);
      float[] large = HistoryFeatures.of(minutes(length, i -> 8 * sizes.get(i)), 8 * CAPACITY);
      assertThat(large).isEqualTo(small);
    }
  }
}
