package dev.cotenant.evaluation.predictor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;
import org.junit.jupiter.api.Test;

class PrecisionRatiosTest {
  private static ProfileRow row(Precision precision, int batch) {
    MemorySize some = MemorySize.ofMiB(1);
    return new ProfileRow(
        "test",
        "family",
        "network",
        new ModelFeatures(new LayerCounts(1, 1, 1, 0), 0, 1, some, 1, some, some, batch),
        RunSettings.of(ExecutionMode.TRAINING, precision),
        new DeviceId("rtx-3090"),
        Measurement.NONE.withPeakMemory(some),
        Licence.OWN,
        ProfileRow.Quality.CLEAN);
  }

  private static void add(PrecisionRatios ratios, ProfileRow row, long measured, long predicted) {
    ratios.add(row, MemorySize.ofMiB(measured), MemorySize.ofMiB(predicted));
  }

  @Test
  void compareRunsThatDifferInPrecisionAlone() {
    PrecisionRatios ratios = new PrecisionRatios();
    add(ratios, row(Precision.FP32, 8), 1000, 2000);
    add(ratios, row(Precision.AMP, 8), 500, 800);
    add(ratios, row(Precision.AMP, 16), 500, 800);
    add(ratios, row(Precision.FP16, 8), 1, 1);
    // 0.4 for 0.5
    assertThat(ratios.errors())
        .singleElement()
        .satisfies(e -> assertThat(e).isCloseTo(0.2, within(1e-9)));
  }

  @Test
  void takeTheMeanOfTheMiddleTwo() {
    assertThat(PrecisionRatios.median(List.of(0.1, 0.2, 0.4))).isEqualTo(0.2);
    assertThat(PrecisionRatios.median(List.of(0.1, 0.2, 0.4, 9.0))).isCloseTo(0.3, within(1e-9));
  }
}
