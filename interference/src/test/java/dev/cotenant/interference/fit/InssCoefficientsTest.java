package dev.cotenant.interference.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ProfilingRuns;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.InssTimes;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InssCoefficientsTest {
  private static final ProfileBook BOOK = ProfileBook.builtIn();
  private static final DeviceProfile V100 = BOOK.requireDevice("v100-16gb");
  private static final WorkloadProfile TRUTH = BOOK.workload("vgg19").orElseThrow();

  /** At InSS's sixteen points; L2 is 3 + 0.25·share. */
  private static ProfilingRuns.Workload runs(@Nullable Double l2Slope) {
    List<ProfilingRuns.Run> alone = new ArrayList<>();
    for (int batch : new int[] {1, 2, 8, 32}) {
      for (double share : new double[] {20, 40, 50, 80}) {
        double active = TRUTH.activeTime().millis(batch, share);
        double rate = 1000 * batch / active;
        alone.add(
            new ProfilingRuns.Run(
                batch,
                share,
                active + TRUTH.schedulingMillis(),
                V100.idlePowerWatts()
                    + TRUTH.demand().powerSlope() * rate
                    + TRUTH.demand().powerIntercept(),
                V100.maxFrequencyMegahertz(),
                l2Slope == null ? null : Double.valueOf(3 + l2Slope * share)));
      }
    }
    return new ProfilingRuns.Workload(
        "mine",
        TRUTH.kernels(),
        TRUTH.inputBytes(),
        TRUTH.outputBytes(),
        TRUTH.schedulingMillis(),
        alone,
        new ProfilingRuns.Beside(10, 10.5, V100.maxFrequencyMegahertz(), 20));
  }

  @Test
  void findsWhatThePointsWereMadeOf() {
    WorkloadProfile found = InssCoefficients.of(runs(0.25), V100);

    InssTimes inss = Objects.requireNonNull(found.inss());
    assertThat(inss.l2Slope()).isCloseTo(0.25, within(1e-9));
    assertThat(inss.l2Intercept()).isCloseTo(3, within(1e-9));
    assertThat(inss.activeTime().points()).hasSize(16);
    // iGniter's formula on the same points, and its power.
    assertThat(found.activeTime().millis(4, 30))
        .isCloseTo(TRUTH.activeTime().millis(4, 30), within(0.01));
    assertThat(found.demand().powerSlope()).isCloseTo(TRUTH.demand().powerSlope(), within(1e-6));
    // α_cache: 5 % longer beside 20 % of L2.
    assertThat(found.cacheSensitivity()).isCloseTo(0.05 / 20, within(1e-9));
    // The regression between its points.
    assertThat(found.activeMillis(4, 30) / TRUTH.activeTime().millis(4, 30))
        .isCloseTo(1, within(0.15));
  }

  @Test
  void needsTheCache() {
    assertThatThrownBy(() -> InssCoefficients.of(runs(null), V100))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("'mine'")
        .hasMessageContaining("L2");
  }
}
