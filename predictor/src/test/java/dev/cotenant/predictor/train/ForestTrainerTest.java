package dev.cotenant.predictor.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.ForestPredictor;
import dev.cotenant.predictor.forest.Provenance;
import dev.cotenant.predictor.testing.SyntheticRuns;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForestTrainerTest {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  private static TrainingSettings settings(long seed) {
    return new TrainingSettings(
        seed,
        Coverage.of(0.9),
        List.of(new ForestSettings(8, 0.5, 3), new ForestSettings(8, 1, 3)),
        NOON);
  }

  private static TrainedForest train(List<ProfileSource.Result> data, long seed) {
    return new ForestTrainer(DeviceCatalogue.builtIn(), settings(seed))
        .train(data, TrainingProgress.SILENT);
  }

  private static List<ProfileSource.Result> runs(int rows) {
    return List.of(SyntheticRuns.result(rows, "a100-40gb", 5));
  }

  @Test
  void sameRowsAndSeedGiveTheSameBytesHoweverManyThreads()
      throws ExecutionException, InterruptedException {
    byte[] once = train(runs(300), 1).toBytes();
    for (int threads : new int[] {1, 2, 7}) {
      try (ForkJoinPool pool = new ForkJoinPool(threads)) {
        assertThat(pool.submit(() -> train(runs(300), 1).toBytes()).get()).isEqualTo(once);
      }
    }
    assertThat(train(runs(300), 2).toBytes()).isNotEqualTo(once);
  }

  @Test
  void provenanceSaysWhatWentIn() {
    Provenance provenance =
        train(
                List.of(
                    SyntheticRuns.result(300, "a100-40gb", 5),
                    SyntheticRuns.result(100, "v100-16gb", 6)),
                1)
            .predictor()
            .provenance();
    // every 50th row is a suspected crash
    assertThat(provenance.dataSets())
        .containsExactly(
            new Provenance.DataSet("synthetic", "00".repeat(32), 300, 294, 0),
            new Provenance.DataSet("synthetic", "00".repeat(32), 100, 98, 0));
    assertThat(provenance.devices().toString()).isEqualTo("[a100-40gb, v100-16gb]");
    assertThat(provenance.families()).containsExactly("cnn", "mlp");
    assertThat(provenance.trainedAt()).isEqualTo(NOON);
    assertThat(provenance.seed()).isEqualTo(1);
  }

  @Test
  void writesAFileThatLoadsAsTheSamePredictor(@TempDir Path folder) {
    TrainedForest trained = train(runs(200), 1);
    Path file = folder.resolve("own.forest");
    trained.writeTo(file);
    trained.writeTo(file);
    assertThat(ForestPredictor.load(file).version()).isEqualTo(trained.predictor().version());
    assertThat(folder).isDirectoryNotContaining(path -> path.toString().endsWith(".part"));
  }

  @Test
  void tellsHowFarItIs() {
    List<Integer> done = new ArrayList<>();
    List<Integer> totals = new ArrayList<>();
    new ForestTrainer(DeviceCatalogue.builtIn(), settings(1))
        .train(
            runs(200),
            (step, part, total) -> {
              done.add(part);
              totals.add(total);
            });
    assertThat(done).isSorted().doesNotHaveDuplicates().last().isEqualTo(totals.getFirst());
    assertThat(totals).containsOnly(totals.getFirst());
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
            () -> new ForestTrainer(empty, settings(1)).train(runs(50), TrainingProgress.SILENT))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("unknown-device"));
  }
}
