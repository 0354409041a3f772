package dev.cotenant.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.lifecycle.Promotion.Grounds;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.engine.testing.SampleRows;
import dev.cotenant.predictor.model.FeaturePredictor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rows in, training, promotion, serving, rollback, on a store in memory. */
class LifeCycleTest {
  private static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();
  private static final Device A100 = DEVICES.require("a100-40gb");

  private Instant now = Instant.parse("2026-11-21T12:00:00Z");
  private final FakeModelStore store = new FakeModelStore();
  private final Serving serving = serving("base says 30");
  private final Trainings trainings = trainings(serving, "replica-1");
  private final Promotions promotions = new Promotions(store, serving, () -> DEVICES, () -> now);

  private Serving serving(String file) {
    return new Serving(store, LifeCycleTest::read, bytes(file), () -> now);
  }

  private Trainings trainings(Serving of, String replica) {
    return new Trainings(store, of, () -> DEVICES, replica, () -> now);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A base is the text "base says N": N percent and 3 GiB, whatever is asked. */
  private static BaseModel read(byte[] file, String name) {
    String text = new String(file, StandardCharsets.UTF_8);
    if (!text.startsWith("base says ")) {
      throw InputException.malformed("not-a-predictor", name + ": is none.");
    }
    double percent = Double.parseDouble(text.substring("base says ".length()));
    FeaturePredictor predictor =
        request -> says(percent, request.model(), request.settings(), request.device());
    return new BaseModel(predictor, text.replace(' ', '-'), "# Card", "seed: 1\n");
  }

  private static Prediction says(
      double percent, ModelFeatures features, RunSettings run, Device device) {
    return new Prediction(
        device.id(),
        features.batchSize(),
        run,
        new UtilizationEstimate(
            Utilization.ofPercent(percent),
            Utilization.ofPercent(percent * 0.8),
            Utilization.ofPercent(percent * 1.2),
            Coverage.of(0.9)),
        new MemoryEstimate(
            MemorySize.ofGiB(3), MemorySize.ofGiB(2), MemorySize.ofGiB(4), Coverage.of(0.9)),
        "base",
        List.of());
  }

  private double answer(Serving of) {
    return of.predictor()
        .predict(SampleRows.features(8), RunSettings.DEFAULT, A100)
        .utilization()
        .mean()
        .percent();
  }

  /** Forty runs of one model at forty batches that all keep the GPU 50 % busy. */
  private void postRows() {
    List<ProfileRow> rows = new ArrayList<>();
    for (int batch = 1; batch <= 40; batch++) {
      rows.add(SampleRows.row(batch, 50));
    }
    store.profiles().add(ProfileStore.SHARED, rows, now);
  }

  private ModelVersion trained() {
    store.trainings().enqueue("t" + store.trainings().newest(100).size(), now);
    Training.Outcome outcome = trainings.runNext().orElseThrow();
    assertThat(outcome.state()).as(outcome.message()).isEqualTo(Training.State.FINISHED);
    String version = outcome.version();
    assertThat(version).isNotNull();
    return store.versions().find(String.valueOf(version)).orElseThrow();
  }

  @Test
  void servesTheShippedModelBeforeTheStoreIsReachedAndRecordsItAfterwards() {
    store.setDown(true);
    assertThat(answer(serving)).isEqualTo(30);
    assertThatThrownBy(serving::refresh).isInstanceOf(StoreException.class);
    assertThat(answer(serving)).isEqualTo(30);
    store.setDown(false);
    assertThat(serving.refresh()).isEqualTo(new Serving.Refreshed.Same());
    assertThat(store.versions().all())
        .extracting(ModelVersion::label)
        .containsExactly("base-says-30");
    assertThat(store.versions().promoted().orElseThrow().grounds()).isEqualTo(Grounds.SHIPPED);
    assertThat(serving.served().promotion()).isEqualTo(1);
  }

  @Test
  void correctsPromotesServesAndRollsBack() {
    serving.refresh();
    postRows();
    ModelVersion version = trained();
    assertThat(version.parent()).isEqualTo(Sha256.of("base says 30"));
    assertThat(version.metrics()).containsKeys("held_out_rmsle", "utilization_rmsle_after");
    assertThat(answer(serving)).isEqualTo(30);
    Promotion promotion = promotions.promote(version.label(), "alice", Optional.empty());
    assertThat(promotion.grounds()).isEqualTo(Grounds.BETTER);
    assertThat(promotion.reason()).contains("RMSLE");
    assertThat(answer(serving)).isBetween(45.0, 52.0);
    assertThatThrownBy(() -> promotions.promote(version.label(), "alice", Optional.empty()))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.code()).isEqualTo("already-promoted"));
    Promotion back = promotions.rollback("bob", "pods were refused");
    assertThat(back.grounds()).isEqualTo(Grounds.ROLLBACK);
    assertThat(answer(serving)).isEqualTo(30);
    assertThatThrownBy(() -> promotions.rollback("bob", "again"))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.code()).isEqualTo("no-previous-version"));
  }

  @Test
  void anotherReplicaServesThePromotedVersionAtItsNextLook() {
    serving.refresh();
    Serving other = serving("base says 30");
    other.refresh();
    postRows();
    promotions.promote(trained().sha256(), "alice", Optional.empty());
    assertThat(answer(other)).isEqualTo(30);
    assertThat(other.refresh()).isInstanceOf(Serving.Refreshed.Swapped.class);
    assertThat(answer(other)).isEqualTo(answer(serving));
  }

  @Test
  void promotesNothingThatIsNotBetterUnlessSomebodyInsists() {
    serving.refresh();
    postRows();
    byte[] worse = bytes("base says 5");
    ModelVersion version =
        serving.files().describe(worse, "upload", ModelVersion.Origin.UPLOADED, now);
    store.versions().add(version, worse);
    assertThatThrownBy(() -> promotions.promote(version.label(), "alice", Optional.empty()))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.code()).isEqualTo("not-better"));
    assertThat(answer(serving)).isEqualTo(30);
    assertThatThrownBy(() -> promotions.promote(version.label(), "alice", Optional.of(" ")))
        .isInstanceOf(InputException.class);
    Promotion forced =
        promotions.promote(version.label(), "alice", Optional.of("a drill, see ticket 7"));
    assertThat(forced.grounds()).isEqualTo(Grounds.OVERRIDE);
    assertThat(forced.reason()).isEqualTo("a drill, see ticket 7");
    assertThat(answer(serving)).isEqualTo(5);
  }

  @Test
  void judgesNothingByTooFewRows() {
    serving.refresh();
    byte[] other = bytes("base says 50");
    ModelVersion version =
        serving.files().describe(other, "upload", ModelVersion.Origin.UPLOADED, now);
    store.versions().add(version, other);
    assertThatThrownBy(() -> promotions.promote(version.label(), "alice", Optional.empty()))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.code()).isEqualTo("not-evaluated"));
  }

  @Test
  void saysWhyATrainingFailed() {
    serving.refresh();
    store.trainings().enqueue("t1", now);
    Training.Outcome outcome = trainings.runNext().orElseThrow();
    assertThat(outcome.state()).isEqualTo(Training.State.FAILED);
    assertThat(outcome.message()).contains("at least 5 clean rows");
    assertThat(store.trainings().find("t1").orElseThrow().message()).isEqualTo(outcome.message());
    assertThat(trainings.runNext()).isEmpty();
  }

  @Test
  void takesUpTheTrainingOfADeadReplica() {
    serving.refresh();
    postRows();
    store.trainings().enqueue("t1", now);
    assertThat(store.trainings().claim("dead", now, now)).isPresent();
    assertThat(trainings.runNext()).isEmpty();
    now = now.plus(Trainings.STALE_AFTER).plus(Duration.ofSeconds(1));
    assertThat(trainings.runNext().orElseThrow().state()).isEqualTo(Training.State.FINISHED);
  }

  @Test
  void goesOnServingWhenThePromotedFileCannotBeRead() {
    serving.refresh();
    byte[] broken = bytes("no predictor at all");
    ModelVersion version =
        new ModelVersion(
            Sha256.of(broken),
            "broken",
            ModelVersion.Kind.BASE,
            ModelVersion.Origin.UPLOADED,
            null,
            now,
            "",
            "",
            java.util.Map.of());
    store.versions().add(version, broken);
    store
        .versions()
        .promote(new Promotion.Request(version.sha256(), "x", Grounds.OVERRIDE, "x"), 1, now);
    assertThat(serving.refresh()).isInstanceOf(Serving.Refreshed.Unusable.class);
    assertThat(answer(serving)).isEqualTo(30);
  }

  @Test
  void anUpgradeServesItsOwnModelUnlessSomebodyChoseAnother() {
    serving.refresh();
    Serving upgraded = serving("base says 31");
    upgraded.refresh();
    assertThat(store.versions().promoted().orElseThrow().version())
        .isEqualTo(Sha256.of("base says 31"));
    serving.refresh();
    assertThat(answer(serving)).isEqualTo(31);
    promotions.promote("base-says-30", "alice", Optional.of("the old one was better"));
    Serving later = serving("base says 32");
    later.refresh();
    assertThat(answer(later)).isEqualTo(30);
  }

  @Test
  void refusesACorrectionOfAModelThatIsNotHere() {
    serving.refresh();
    postRows();
    byte[] file = store.versions().file(trained().sha256()).orElseThrow();
    PredictorFiles elsewhere =
        new PredictorFiles(new FakeModelStore().versions(), LifeCycleTest::read, () -> "");
    assertThatThrownBy(() -> elsewhere.describe(file, "upload", ModelVersion.Origin.UPLOADED, now))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("unknown-base"));
  }
}
