package dev.cotenant.features.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.BatchScale;
import dev.cotenant.features.inference.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PeakBytesTest {
  private static Amount line(long constant, long perBatch) {
    return Amount.of(constant).plus(Amount.elements(Shape.of(new long[] {perBatch}, 1)));
  }

  @Test
  void isNothingBeforeItIsRaised() {
    assertThat(new PeakBytes().at(new BatchScale(1, 4))).isZero();
  }

  @Test
  void changesHandsWithTheBatch() {
    PeakBytes peak = new PeakBytes();
    peak.raise(line(100, 1));
    peak.raise(line(0, 30));
    // 101 against 30 at batch 1; 104 against 120 at batch 4.
    assertThat(peak.at(new BatchScale(1, 1))).isEqualTo(101);
    assertThat(peak.at(new BatchScale(1, 4))).isEqualTo(120);
    assertThat(peak.atDeclared()).isEqualTo(101);
  }

  @Test
  void addsAPeakOnTopOfWhatIsAlive() {
    PeakBytes inside = new PeakBytes();
    inside.raise(line(5, 2));
    PeakBytes peak = new PeakBytes();
    peak.raise(line(10, 0), inside);
    peak.raise(line(3, 0), new PeakBytes());
    assertThat(peak.at(new BatchScale(1, 3))).isEqualTo(10 + 5 + 6);
  }

  @Test
  void isTheLargestOfAFewAndNeverLessOfMany() {
    Random random = new Random(3);
    for (int count : new int[] {1, 5, 20, 500}) {
      PeakBytes peak = new PeakBytes();
      List<Amount> amounts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        amounts.add(line(random.nextInt(1000), random.nextInt(1000)));
        peak.raise(amounts.getLast());
      }
      for (int batch = 1; batch < 6; batch++) {
        BatchScale scale = new BatchScale(1, batch);
        long largest = amounts.stream().mapToLong(each -> each.at(scale)).max().orElseThrow();
        if (count <= 20) {
          assertThat(peak.at(scale)).isEqualTo(largest);
        } else {
          assertThat(peak.at(scale)).isGreaterThanOrEqualTo(largest);
        }
      }
    }
  }
}
