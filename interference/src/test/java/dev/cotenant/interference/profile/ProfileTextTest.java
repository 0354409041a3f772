package dev.cotenant.interference.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.interference.solo.SoloPoint;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileTextTest {
  private static final ProfileBook V100 = ProfileBook.builtIn();
  private static final WorkloadProfile RESNET = V100.workload("resnet50").orElseThrow();

  /** Twice as fast as iGniter's formula says, so that it is seen which one answers. */
  private static WorkloadProfile withPoints() {
    List<SoloPoint> points = new ArrayList<>();
    for (int batch : new int[] {1, 2, 8, 32}) {
      for (double share : new double[] {20, 40, 50, 80}) {
        points.add(new SoloPoint(batch, share, RESNET.activeTime().millis(batch, share) / 2));
      }
    }
    return RESNET.with(InssTimes.of(points, 0.3, 4.5));
  }

  @Test
  void whatIsWrittenIsReadToTheLastDigit() {
    List<WorkloadProfile> workloads = new ArrayList<>(V100.workloads());
    workloads.add(withPoints());

    String text = ProfileText.of(V100.devices(), workloads);

    assertThat(ProfileFile.parse("text", text))
        .isEqualTo(new ProfileBook(V100.devices(), workloads, List.of()));
  }

  @Test
  void pointsAnswerInPlaceOfTheFormula() {
    WorkloadProfile profile = withPoints();

    assertThat(profile.activeMillis(8, 50) / RESNET.activeMillis(8, 50)).isBetween(0.45, 0.55);
    assertThat(RESNET.activeMillis(8, 50)).isEqualTo(RESNET.activeTime().millis(8, 50));
    assertThat(profile.with(RESNET.activeTime()).inss()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "points=|8 to 256 of BATCH@SHARE:MILLISECONDS",
        "points=1@20|8 to 256",
        "points=1@20:3:4|8 to 256",
        "points=1@20:3.2|1 profile points are too few: at least 8",
        "points=1.5@20:3.2|a batch must be a whole number",
        "points=x@20:3.2|points 'x' is not a number",
        "points=0@20:3.2|batch size must be at least 1",
        "points=1@120:3.2|share must be above 0 to 100",
        "points=1@20:NaN|latency must be positive",
        "points=1@20:3.2 points=1@20:3.2|key points is there twice",
      })
  void saysWhatIsWrongWithPoints(String points, String words) {
    String text =
        ProfileText.of(V100.devices(), List.of(RESNET)).stripTrailing()
            + " l2_share_slope=1 l2_share_intercept_percent=2 "
            + points;

    assertThatThrownBy(() -> ProfileFile.parse("mine.profiles", text))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("mine.profiles:3")
        .hasMessageContaining(words);
  }

  @Test
  void pointsNeedTheLineOfTheCache() {
    String text =
        ProfileText.of(V100.devices(), List.of(withPoints())).replace("l2_share_slope=0.3 ", "");

    assertThatThrownBy(() -> ProfileFile.parse("mine.profiles", text))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("key l2_share_slope is missing");
  }
}
