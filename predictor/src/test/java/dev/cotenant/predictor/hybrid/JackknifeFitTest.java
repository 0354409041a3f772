package dev.cotenant.predictor.hybrid;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.testing.SyntheticRuns;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JackknifeFitTest {
  private static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();

  private static List<ProfileRow> runs(String... devices) {
    List<ProfileRow> rows = new ArrayList<>();
    for (String device : devices) {
      rows.addAll(SyntheticRuns.result(90, device, device.hashCode()).rows());
    }
    return rows;
  }

  @Test
  void needsTwoDevicesAndSixFamiliesOnDevices() {
    assertThat(JackknifeFit.isPossible(runs("t4", "a100-40gb", "v100-16gb"))).isTrue();
    assertThat(JackknifeFit.isPossible(runs("t4", "a100-40gb"))).isFalse();
    assertThat(JackknifeFit.isPossible(runs("t4"))).isFalse();
  }

  @Test
  void boundsADeviceThatWasHeldOutAtTheLevel() {
    MeasuredRuns train =
        MeasuredRuns.of(Target.UTILIZATION, runs("t4", "a100-40gb", "v100-16gb"), DEVICES);
    MeasuredRuns test = MeasuredRuns.of(Target.UTILIZATION, runs("rtx-2080ti"), DEVICES);
    FarBound.Jackknife far = (FarBound.Jackknife) JackknifeFit.fit(train.sample(), train.rows());
    int held = 0;
    for (int i = 0; i < test.size(); i++) {
      double score =
          FarBound.Jackknife.score(
              far.transfer().formula(),
              test.sample().runs().get(i),
              test.sample().logs().values()[i]);
      held += score <= far.quantiles().at(Coverage.STANDARD).upper() ? 1 : 0;
    }
    assertThat((double) held / test.size()).isGreaterThan(0.8);
  }
}
