package dev.cotenant.predictor.correct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.train.TrainingProgress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class QuarantineTest {
  private static final RunSettings SERVING =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);

  private static ProfileRow row(int family, int batch, RunSettings settings, Measurement measured) {
    return new ProfileRow(
        "test",
        "family-" + family,
        "family-" + family,
        Clusters.model(family, batch),
        settings,
        Clusters.A100,
        measured,
        Licence.OWN,
        ProfileRow.Quality.CLEAN);
  }

  private static Measurement busy(double percent) {
    return Measurement.NONE.withUtilization(Utilization.ofPercent(percent));
  }

  /** The base says 20 % of all. */
  private static List<ProfileRow> steady() {
    List<ProfileRow> rows = new ArrayList<>();
    for (int batch = 1; batch <= 20; batch++) {
      rows.add(row(batch % 4, batch, RunSettings.DEFAULT, busy(19 + batch % 3)));
    }
    return rows;
  }

  private static CorrectionTrainer.Trained train(List<ProfileRow> rows) {
    return new CorrectionTrainer(Clusters.DEVICES, TrainingProgress.SILENT)
        .train(Clusters.FLAT, Clusters.BASE, rows);
  }

  private static byte[] trained(List<ProfileRow> rows) {
    return CorrectionFile.write(train(rows).correction());
  }

  private static int learnedUtilizations(List<ProfileRow> rows) {
    return CorrectionFile.read(trained(rows), "test").runs(CorrectedTarget.UTILIZATION);
  }

  @Test
  void leavesASingleRunFarFromAllOthersOut() {
    List<ProfileRow> rows = steady();
    rows.add(row(1, 64, RunSettings.DEFAULT, busy(1)));
    assertThat(learnedUtilizations(rows)).isEqualTo(20);
    assertThat(train(rows).quarantined())
        .containsEntry(CorrectedTarget.UTILIZATION, 1)
        .containsEntry(CorrectedTarget.PEAK_MEMORY, 0);
  }

  @Test
  void believesTwoThatAgree() {
    List<ProfileRow> rows = steady();
    rows.add(row(1, 64, RunSettings.DEFAULT, busy(4)));
    rows.add(row(1, 128, RunSettings.DEFAULT, busy(5)));
    assertThat(learnedUtilizations(rows)).isEqualTo(22);
  }

  @Test
  void learnsNoUtilizationOfInferenceWithoutARate() {
    List<ProfileRow> rows = steady();
    for (int batch = 1; batch <= 68; batch++) {
      rows.add(row(2, batch, SERVING, busy(8)));
    }
    assertThat(learnedUtilizations(rows)).isEqualTo(20);
    rows.add(row(2, 1, SERVING.withLoad(new Load.RequestRate(10)), busy(8)));
    assertThat(learnedUtilizations(rows)).isEqualTo(21);
  }

  @Test
  void ignoresPeaksAboveTheMemoryOfTheDevice() {
    List<ProfileRow> rows = steady();
    rows.add(
        row(1, 64, RunSettings.DEFAULT, Measurement.NONE.withPeakMemory(MemorySize.ofGiB(41))));
    assertThat(CorrectionFile.read(trained(rows), "test").runs(CorrectedTarget.PEAK_MEMORY))
        .isZero();
  }

  @Test
  void sameRowsInAnyOrderGiveTheSameBytes() {
    List<ProfileRow> rows = steady();
    byte[] once = trained(rows);
    Collections.shuffle(rows, new Random(3));
    assertThat(trained(rows)).isEqualTo(once);
  }
}
