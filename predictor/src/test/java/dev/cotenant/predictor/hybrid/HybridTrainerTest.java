package dev.cotenant.predictor.hybrid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.model.Provenance;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.testing.SyntheticRuns;
import dev.cotenant.predictor.train.ResidualBoosting;
import dev.cotenant.predictor.train.TrainedModel;
import dev.cotenant.predictor.train.TrainingProgress;
import dev.cotenant.predictor.train.TrainingSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HybridTrainerTest {
  private static final List<Integer> DONE = new ArrayList<>();
  private static final List<Integer> TOTALS = new ArrayList<>();

  /** Of 200 rows, of which several tests look at something else. */
  private static final TrainedModel ONCE =
      new HybridTrainer(DeviceCatalogue.builtIn(), settings(1))
          .train(
              runs(200),
              (step, part, total) -> {
                DONE.add(part);
                TOTALS.add(total);
              });

  private static TrainingSettings settings(long seed) {
    return new TrainingSettings(seed, Coverage.of(0.9), new ResidualBoosting());
  }

  private static TrainedModel train(List<ProfileSource.Result> data, long seed) {
    return new HybridTrainer(DeviceCatalogue.builtIn(), settings(seed))
        .train(data, TrainingProgress.SILENT);
  }

  private static List<ProfileSource.Result> runs(int rows) {
    return List.of(SyntheticRuns.result(rows, "a100-40gb", 5));
  }

  @Test
  void sameRowsAndSeedGiveTheSameBytesHoweverManyThreads()
      throws ExecutionException, InterruptedException {
    byte[] once = ONCE.toBytes();
    for (int threads : new int[] {1, 7}) {
      try (ForkJoinPool pool = new ForkJoinPool(threads)) {
        assertThat(pool.submit(() -> train(runs(200), 1).toBytes()).get()).isEqualTo(once);
      }
    }
    assertThat(train(runs(200), 2).toBytes()).isNotEqualTo(once);
  }

  /** Two devices, one with so many rows that batches of a network count as rows. */
  @Test
  void saysWhatWentInAndCountsTheRowsOfEachGroupOfBounds() {
    Predictor two =
        Predictor.of(
            train(
                List.of(
                    SyntheticRuns.result(520, "a100-40gb", 5), SyntheticRuns.result(100, "t4", 6)),
                1));
    Provenance provenance = two.provenance();
    // every 50th row is a suspected crash
    assertThat(provenance.dataSets())
        .containsExactly(
            new Provenance.DataSet("synthetic runs.csv", "00".repeat(32), 520, 510, 0),
            new Provenance.DataSet("synthetic runs.csv", "00".repeat(32), 100, 98, 0));
    assertThat(provenance.devices().toString()).isEqualTo("[a100-40gb, t4]");
    assertThat(provenance.families()).containsExactly("cnn", "mlp");
    assertThat(provenance.seed()).isEqualTo(1);

    assertThat(two.groups(Target.UTILIZATION))
        .containsEntry("all rows", 608)
        .containsEntry("on a100-40gb", 510)
        .containsKeys("cnn on t4", "mlp on t4", "on t4");
  }

  @Test
  void widensTheBoundOfAModelUnlikeAnyMeasured() {
    ProfileSource.Result large = SyntheticRuns.large(12, "rtx-2080ti", 6);
    List<ProfileRow> rows = SyntheticRuns.result(300, "a100-40gb", 5).rows();
    HybridFit fit = HybridFit.calibrated(rows, 0.9, way(Target.UTILIZATION));
    double among = rows.stream().mapToDouble(row -> fit.offsets(row).upper()).average().orElse(0);
    for (ProfileRow row : large.rows()) {
      assertThat(fit.offsets(row).upper()).isGreaterThan(among);
    }
  }

  @Test
  void answersWithThePriorFarFromAllRuns() {
    List<ProfileRow> rows = SyntheticRuns.result(300, "a100-40gb", 5).rows();
    HybridFit fit = HybridFit.of(rows, way(Target.UTILIZATION));
    ToDoubleFunction<ProfileRow> prior = HybridFit.prior(rows, way(Target.UTILIZATION));
    for (ProfileRow row : SyntheticRuns.large(12, "h200-141gb", 6).rows()) {
      assertThat(fit.log(row)).isCloseTo(prior.applyAsDouble(row), within(0.02));
    }
  }

  private static HybridFit.Way way(Target target) {
    return new HybridFit.Way(target, DeviceCatalogue.builtIn(), 1);
  }

  @Test
  void writesAFileThatLoadsAsTheSamePredictor(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("own.model");
    ONCE.writeTo(file);
    ONCE.writeTo(file);
    assertThat(Predictor.ofBytes(Files.readAllBytes(file), "own.model").version())
        .isEqualTo(Predictor.of(ONCE).version());
    assertThat(folder).isDirectoryNotContaining(path -> path.toString().endsWith(".part"));
  }

  @Test
  void tellsHowFarItIs() {
    assertThat(DONE).isSorted().doesNotHaveDuplicates().last().isEqualTo(TOTALS.getFirst());
    assertThat(TOTALS).containsOnly(TOTALS.getFirst());
  }

  @Test
  void asksForMoreRowsWhenThereAreTooFew() {
    assertThatThrownBy(() -> train(runs(12), 1))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("too-few-rows"));
    assertThatThrownBy(() -> train(List.of(), 1)).isInstanceOf(InputException.class);
  }

  @Test
  void refusesRowsOfADeviceThatTheCatalogueLacks() {
    DeviceCatalogue empty = new DeviceCatalogue(List.of());
    assertThatThrownBy(
            () -> new HybridTrainer(empty, settings(1)).train(runs(50), TrainingProgress.SILENT))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("unknown-device"));
  }
}
