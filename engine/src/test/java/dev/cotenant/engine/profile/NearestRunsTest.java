package dev.cotenant.engine.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NearestRunsTest {
  private static final long WORK = 1_000_000_000;

  private static ModelFeatures features(long work, int batch) {
    return new ModelFeatures(
        new LayerCounts(10, 1, 10, 5),
        2,
        1_000_000,
        MemorySize.ofMiB(4),
        work,
        MemorySize.ofMiB(100),
        MemorySize.ofMiB(1),
        batch);
  }

  private static StoredProfile run(long number, long work, int batch, RunSettings settings) {
    ProfileRow row =
        new ProfileRow(
            "cluster",
            "family",
            "net-" + number,
            features(work, batch),
            settings,
            new DeviceId("t4"),
            Measurement.NONE.withUtilization(Utilization.ofPercent(50)),
            Licence.OWN,
            ProfileRow.Quality.CLEAN);
    return new StoredProfile(number, "abcdef", row, Instant.EPOCH, ProfileStore.SHARED);
  }

  private static List<Long> numbers(StoredProfile... runs) {
    return NearestRuns.of(Stream.of(runs), features(WORK, 8), RunSettings.DEFAULT, 3).stream()
        .map(one -> one.run().number())
        .toList();
  }

  @Test
  void theNearestComeFirstAndOfEquallyNearOnesTheNewest() {
    RunSettings training = RunSettings.DEFAULT;
    assertThat(
            numbers(
                run(1, 8 * WORK, 8, training),
                run(2, WORK, 8, training),
                run(3, 2 * WORK, 8, training),
                run(4, WORK, 8, training)))
        .containsExactly(4L, 2L, 3L);
  }

  @Test
  void runsOfAnotherModeOrPrecisionAreNotAlike() {
    assertThat(
            numbers(
                run(1, WORK, 8, RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32)),
                run(2, WORK, 8, RunSettings.of(ExecutionMode.TRAINING, Precision.AMP))))
        .isEmpty();
    assertThat(numbers()).isEmpty();
  }

  @Test
  void twiceTheWorkIsTheLogarithmOfTwoAway() {
    assertThat(NearestRuns.distance(features(WORK, 8), features(WORK, 8))).isZero();
    assertThat(NearestRuns.distance(features(WORK, 8), features(2 * WORK, 8)))
        .isCloseTo(Math.log(2), within(1e-6));
  }
}
