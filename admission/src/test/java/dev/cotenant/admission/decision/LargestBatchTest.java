package dev.cotenant.admission.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.TestPods;
import dev.cotenant.admission.decision.LargestBatch.Fit;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LargestBatchTest {
  private static final Decision.Admitted ADMITTED =
      new Decision.Admitted(
          List.of(new Grant("GPU-a0", "gpu-1", null)),
          new Evidence.FreeGpus(1, new ExclusiveCause.ModelUnknown(null)));
  private static final Decision HELD =
      new Decision.Held(List.of(new Reason.NoMetrics("GPU-a0", "gpu-1")));

  private static Optional<Integer> below(int requested, IntPredicate fits) {
    Colocatable pod = TestPods.of("team-a", "train", "resnet50", requested);
    return LargestBatch.below(pod, p -> fits.test(p.workload().batchSize()) ? ADMITTED : HELD)
        .map(LargestBatch.Fit::batchSize);
  }

  @ParameterizedTest
  @CsvSource({
    "64, 40, 40", // 32 fits, 48 and 44 do not, 40 does, 42 and 41 do not
    "64, 63, 63",
    "64, 1, 1",
    "64, 0, 0", // not even one
    "2, 1, 1",
    "1, 0, 0", // there is no smaller one
    "2147483647, 1000000, 1000000",
  })
  void findsTheLargestBatchThatFits(int requested, int largest, int expected) {
    assertThat(below(requested, batch -> batch <= largest).orElse(0)).isEqualTo(expected);
  }

  @Test
  void findsWhatASearchThroughAllFinds() {
    Random random = new Random(7);
    for (int i = 0; i < 2_000; i++) {
      int requested = 1 + random.nextInt(500);
      int largest = random.nextInt(requested);
      assertThat(below(requested, batch -> batch <= largest).orElse(0)).isEqualTo(largest);
    }
  }

  @Test
  void answersOnlyWhatWasAdmittedEvenWhereFittingDoesNotGrow() {
    IntPredicate odd = batch -> batch % 3 == 1;
    assertThat(below(64, odd))
        .isPresent()
        .get()
        .satisfies(batch -> assertThat(odd.test(batch)).isTrue());
  }

  @Test
  void asksAboutTwiceTheLogarithm() {
    AtomicInteger requested = new AtomicInteger();
    below(
        1 << 20,
        batch -> {
          requested.incrementAndGet();
          return batch <= 3;
        });
    assertThat(requested.get()).isLessThanOrEqualTo(40);
  }

  @Test
  void triesThePodsOwnBatchWhereItsDecisionIsOld() {
    Colocatable pod = TestPods.of("team-a", "train", "resnet50", 64);
    assertThat(LargestBatch.now(pod, _ -> ADMITTED)).contains(new Fit(64, ADMITTED));
    assertThat(LargestBatch.now(pod, other -> other.workload().batchSize() <= 40 ? ADMITTED : HELD))
        .contains(new Fit(40, ADMITTED));
  }

  @Test
  void hasNoAdviceForPodsWithoutAModel() {
    Colocatable pod = TestPods.of("team-a", "train", null, 64);
    assertThat(LargestBatch.below(pod, _ -> ADMITTED)).isEmpty();
  }
}
