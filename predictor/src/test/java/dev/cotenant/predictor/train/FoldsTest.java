package dev.cotenant.predictor.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.testing.SyntheticRuns;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FoldsTest {
  private final List<ProfileRow> rows = SyntheticRuns.result(101, "v100-16gb", 1).rows();

  @Test
  void everyRowIsTestedOnceAndNeverLearnedFrom() {
    assertPartition(Folds.random(101, 5, 1));
    assertPartition(Folds.leaveOneOut(rows, Folds::layout));
  }

  private static void assertPartition(List<Folds.Split> splits) {
    int[] tested =
        splits.stream().flatMapToInt(split -> Arrays.stream(split.test())).sorted().toArray();
    assertThat(tested).isEqualTo(IntStream.range(0, 101).toArray());
    for (Folds.Split split : splits) {
      int[] both =
          IntStream.concat(Arrays.stream(split.train()), Arrays.stream(split.test()))
              .sorted()
              .toArray();
      assertThat(both).isEqualTo(IntStream.range(0, 101).toArray());
    }
  }

  @Test
  void aGroupIsNeverOnBothSides() {
    for (Folds.Split split : Folds.leaveOneOut(rows, Folds::layout)) {
      assertThat(layouts(split.test()))
          .hasSize(1)
          .doesNotContainAnyElementsOf(layouts(split.train()));
    }
  }

  private Set<String> layouts(int[] indices) {
    return Arrays.stream(indices)
        .mapToObj(i -> Folds.layout(rows.get(i)))
        .collect(Collectors.toSet());
  }

  @Test
  void thereIsNothingToLeaveOutOfOneGroup() {
    assertThat(Folds.leaveOneOut(rows, Folds::device)).isEmpty();
  }

  @Test
  void anOriginIsTheSameWhateverTheFormat() {
    assertThat(Folds.originOf("spread/2023-03-06:17")).isEqualTo("spread");
    assertThat(Folds.originOf("named-models/SPREAD:4")).isEqualTo("spread");
    assertThat(Folds.originOf("carma:3")).isEqualTo("carma");
    assertThat(Folds.originOf("gpumemnet:1")).isEqualTo("gpumemnet");
  }

  @Test
  void seedsDecideRandomFolds() {
    assertThat(Folds.random(50, 5, 1).getFirst().test())
        .isEqualTo(Folds.random(50, 5, 1).getFirst().test())
        .isNotEqualTo(Folds.random(50, 5, 2).getFirst().test());
  }
}
