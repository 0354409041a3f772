package dev.cotenant.predictor.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.forest.BoundCoverage;
import dev.cotenant.predictor.forest.Feature;
import dev.cotenant.predictor.forest.Forest;
import dev.cotenant.predictor.forest.ModelFileReader;
import dev.cotenant.predictor.forest.Novelty;
import dev.cotenant.predictor.forest.PredictorModel;
import dev.cotenant.predictor.forest.Provenance;
import dev.cotenant.predictor.forest.ResidualQuantiles;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.forest.TargetModel;
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

  /** Twelve large models on the second device say nothing about large models on the first. */
  @Test
  void widensTheBoundOfAModelThatOnlyAnotherDeviceRan() {
    ProfileSource.Result large = SyntheticRuns.large(12, "rtx-2080ti", 6);
    TrainedForest trained = train(List.of(SyntheticRuns.result(300, "a100-40gb", 5), large), 1);
    PredictorModel model = ModelFileReader.parse(trained.toBytes(), "trained");
    int wider = 0;
    for (ProfileRow row : large.rows()) {
      Novelty there = judge(model, row, "rtx-2080ti");
      Novelty here = judge(model, row, "a100-40gb");
      Novelty nowhere = judge(model, row, "h200-141gb");
      assertThat(there.outsideFeatures()).isEmpty();
      assertThat(here.outsideFeatures()).anyMatch(text -> text.startsWith("convolution layers "));
      assertThat(here.unseenDevice()).isFalse();
      assertThat(nowhere.unseenDevice()).isTrue();
      for (TargetModel target : List.of(model.utilization(), model.memory())) {
        Forest.Estimate estimate = target.forest().estimate(vector(row, "a100-40gb"));
        ResidualQuantiles inside = target.offsets(estimate, there);
        ResidualQuantiles outside = target.offsets(estimate, here);
        ResidualQuantiles unseen = target.offsets(estimate, nowhere);
        wider += outside.upper() > inside.upper() ? 1 : 0;
        assertThat(outside).isEqualTo(outside.widerOf(inside).widerOf(unseen));
      }
    }
    // of 12 models × 2 targets; where the trees disagree much, familiar bounds are as wide already
    assertThat(wider).isGreaterThan(large.rows().size());
  }

  /** Device numbers tell synthetic runs apart, but no forest has seen the third device's. */
  @Test
  void measuresHowOftenTheBoundsOfWhatIsNewHold() {
    TrainedForest two =
        train(
            List.of(SyntheticRuns.result(200, "a100-40gb", 5), SyntheticRuns.result(200, "t4", 6)),
            1);
    BoundCoverage measured = two.predictor().coverage(Target.UTILIZATION);
    BoundCoverage oneDevice = train(runs(200), 1).predictor().coverage(Target.UTILIZATION);

    assertThat(measured.familiar()).isEqualTo(Coverage.of(0.9));
    assertThat(measured.unseenModel()).isNotNull().isLessThanOrEqualTo(Coverage.of(0.9));
    assertThat(measured.unseenDevice()).isNotNull().isLessThanOrEqualTo(Coverage.of(0.9));
    assertThat(oneDevice.unseenDevice()).isNull();
  }

  private static Novelty judge(PredictorModel model, ProfileRow row, String device) {
    return model.ranges().novelty(row.features(), new DeviceId(device));
  }

  private static float[] vector(ProfileRow row, String device) {
    return Feature.encode(row.features(), DeviceCatalogue.builtIn().require(device));
  }

  @Test
  void writesAFileThatLoadsAsTheSamePredictor(@TempDir Path folder) {
    TrainedForest trained = train(runs(200), 1);
    Path file = folder.resolve("own.forest");
    trained.writeTo(file);
    trained.writeTo(file);
    assertThat(Predictor.load(file).version()).isEqualTo(trained.predictor().version());
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
