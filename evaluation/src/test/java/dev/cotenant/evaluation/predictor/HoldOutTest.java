package dev.cotenant.evaluation.predictor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Identity;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.testing.SyntheticRuns;
import java.util.List;
import org.junit.jupiter.api.Test;

class HoldOutTest {
  private static final List<ProfileRow> ROWS = SyntheticRuns.result(4, "a100-40gb", 1).rows();
  private static final ProfileRow STATED = ROWS.get(0);
  private static final ProfileRow INFERRED = inferred(ROWS.get(1));
  private static final HoldOut BOTH =
      new HoldOut(new HoldOut.Training(ROWS, List.of()), List.of(STATED, INFERRED));
  private static final HoldOut INFERRED_ALONE =
      new HoldOut(new HoldOut.Training(ROWS, List.of()), List.of(INFERRED));

  private static ProfileRow inferred(ProfileRow row) {
    return new ProfileRow(
        row.source(),
        row.family(),
        row.topology(),
        row.features(),
        row.settings(),
        row.device(),
        row.measurement(),
        row.licence(),
        row.quality(),
        Identity.INFERRED_FROM_MEMORY);
  }

  @Test
  void scoresNoMemoryOfNetworksThatFollowFromIt() {
    assertThat(HoldOut.judging(List.of(BOTH, INFERRED_ALONE), Target.PEAK_MEMORY))
        .containsExactly(new HoldOut(BOTH.training(), List.of(STATED)));
  }

  @Test
  void scoresTheirUtilization() {
    assertThat(HoldOut.judging(List.of(BOTH, INFERRED_ALONE), Target.UTILIZATION))
        .containsExactly(BOTH, INFERRED_ALONE);
  }
}
