package dev.cotenant.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.lifecycle.ModelVersion.Kind;
import dev.cotenant.engine.lifecycle.ModelVersion.Origin;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.engine.testing.SampleRows;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.plugin.Regressor;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A user's regressor from upload to rollback, on a store in memory. */
class RegressorLifeCycleTest {
  private static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();
  private static final Device A100 = DEVICES.require("a100-40gb");
  private static final Device T4 = DEVICES.require("t4");
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  private @Nullable Error broken;
  private Instant now = NOW;
  private final FakeModelStore store = new FakeModelStore();
  private final Serving serving =
      new Serving(store, new FakeReader(), Predictor.builtInFile(), () -> NOW);
  private final Promotions promotions = new Promotions(store, serving, () -> DEVICES, () -> now);

  /** An archive is "PK", its signature, a target, a percentage. */
  private final class FakeReader implements BaseModel.Reader {
    @Override
    public BaseModel read(byte[] file, String name) {
      return STANDARD.read(file, name);
    }

    @Override
    public Regressor regressor(byte[] file, String name) {
      if (broken != null) {
        throw broken;
      }
      String[] words = new String(file, StandardCharsets.ISO_8859_1).split(" ", -1);
      return new FakeRegressor(Target.valueOf(words[1]), Double.parseDouble(words[2]));
    }
  }

  /** Covers the A100 only; answers one percentage, and fails above batch 100. */
  private final class FakeRegressor implements Regressor {
    private final Target target;
    private final double percent;

    FakeRegressor(Target target, double percent) {
      this.target = target;
      this.percent = percent;
    }

    @Override
    public Target target() {
      return target;
    }

    @Override
    public String version() {
      return "fake-" + target.task() + "-" + percent;
    }

    @Override
    public String provenance() {
      return "percent: " + percent + "\n";
    }

    @Override
    public boolean covers(RunSettings settings, Device device) {
      return device.id().equals(A100.id());
    }

    @Override
    public Prediction answer(Prediction shipped, ModelFeatures features, Device device) {
      now = now.plusSeconds(percent == 3 ? 20 : 0);
      if (features.batchSize() > 200) {
        throw new AbstractMethodError("answer");
      }
      if (features.batchSize() > 100) {
        throw InputException.malformed("regressor-not-finite", "answered NaN.");
      }
      return new Prediction(
          shipped.device(),
          shipped.batchSize(),
          shipped.settings(),
          new UtilizationEstimate(
              Utilization.ofPercent(percent),
              Utilization.IDLE,
              Utilization.ofPercent(percent),
              Coverage.of(0.9)),
          shipped.peakMemory(),
          shipped.modelVersion() + "+" + version(),
          shipped.warnings());
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void storeTheShippedModel() {
    serving.refresh();
  }

  private ModelVersion uploaded(String target, int percent) {
    byte[] file = archive(target, percent);
    ModelVersion version = serving.files().describe(file, "the upload", Origin.UPLOADED, NOW);
    store.versions().add(version, file);
    return version;
  }

  private static byte[] archive(String target, int percent) {
    return ("PK\3\4 " + target + " " + percent).getBytes(StandardCharsets.ISO_8859_1);
  }

  private void insist(ModelVersion version) {
    promotions.promote(version.label(), "alice", Optional.of("a drill"));
  }

  private Prediction predict(int batch, Device device) {
    return serving.predictor().predict(SampleRows.features(batch), RunSettings.DEFAULT, device);
  }

  private double percent(int batch, Device device) {
    return predict(batch, device).utilization().mean().percent();
  }

  private void postRows() {
    List<ProfileRow> rows = new ArrayList<>();
    for (int batch = 1; batch <= 40; batch++) {
      rows.add(SampleRows.row(batch, 50));
    }
    store.profiles().add(ProfileStore.SHARED, rows, NOW);
  }

  @Test
  void servesARegressorThatIsBetterOnHeldOutRowsAndRollsItBack() {
    postRows();
    String shipped = serving.served().label();
    double before = percent(8, A100);
    ModelVersion better = uploaded("UTILIZATION", 50);
    assertThat(better.kind()).isEqualTo(Kind.REGRESSOR);
    assertThat(better.parent()).isEqualTo(serving.served().sha256());

    Promotion promotion = promotions.promote(better.label(), "alice", Optional.empty());

    assertThat(promotion.grounds()).isEqualTo(Promotion.Grounds.BETTER);
    assertThat(percent(8, A100)).isEqualTo(50);
    assertThat(predict(8, A100).modelVersion()).isEqualTo(shipped + "+" + better.label());
    promotions.rollback("bob", "worse in production");
    assertThat(percent(8, A100)).isEqualTo(before);
  }

  @Test
  void refusesARegressorThatIsWorseOnHeldOutRows() {
    postRows();
    ModelVersion worse = uploaded("UTILIZATION", 1);

    assertThatThrownBy(() -> promotions.promote(worse.label(), "alice", Optional.empty()))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.code()).isEqualTo("not-better"));
  }

  @Test
  void leavesRunsThatTheRegressorDoesNotCoverOrFailsOnToTheBase() {
    Prediction uncovered = predict(8, T4);
    double failing = percent(101, A100);
    insist(uploaded("UTILIZATION", 7));

    assertThat(predict(8, T4)).isEqualTo(uncovered);
    assertThat(percent(101, A100)).isEqualTo(failing);
    assertThat(predict(101, A100).warnings()).last().asString().contains("answered NaN");
  }

  @Test
  void anErrorOfThePluginLeavesDecisionsToTheParent() {
    double before = percent(201, A100);
    insist(uploaded("UTILIZATION", 7));

    assertThat(percent(201, A100)).isEqualTo(before);
    assertThat(predict(201, A100).warnings()).last().asString().contains("not used here");
  }

  @Test
  void aRegressorThatFailsTenTimesInARowIsNotCalledAnyMore() {
    double before = percent(8, A100);
    insist(uploaded("UTILIZATION", 7));
    for (int i = 0; i < 9; i++) {
      percent(101, A100);
    }
    assertThat(percent(8, A100)).isEqualTo(7);
    for (int i = 0; i < 10; i++) {
      percent(101, A100);
    }
    assertThat(percent(8, A100)).isEqualTo(before);
    assertThat(predict(8, A100).warnings()).last().asString().contains("10 times in a row");
  }

  @Test
  void aStartWithABrokenPluginServesTheParentWithAWarning() {
    double before = percent(8, A100);
    ModelVersion version = uploaded("UTILIZATION", 7);
    insist(version);
    for (Error error :
        List.of(new ServiceConfigurationError("bad jar"), new NoClassDefFoundError("Ort"))) {
      broken = error;
      Serving restarted = new Serving(store, new FakeReader(), Predictor.builtInFile(), () -> NOW);

      assertThat(restarted.refresh()).isInstanceOf(Serving.Refreshed.Unusable.class);
      Prediction answer =
          restarted.predictor().predict(SampleRows.features(8), RunSettings.DEFAULT, A100);
      assertThat(answer.utilization().mean().percent()).isEqualTo(before);
      assertThat(answer.warnings()).last().asString().contains(version.label(), "cannot be used");
      assertThatThrownBy(() -> uploaded("UTILIZATION", 9))
          .isInstanceOfSatisfying(
              InputException.class, e -> assertThat(e.code()).isEqualTo("regressor-failed"));
    }
  }

  @Test
  void judgingASlowRegressorEnds() {
    postRows();
    postRows();
    ModelVersion slow = uploaded("UTILIZATION", 3);

    assertThatThrownBy(() -> promotions.promote(slow.label(), "alice", Optional.empty()))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.code()).isEqualTo("evaluation-timeout"));
  }

  @Test
  void replacesARegressorOfTheSameTargetAndJoinsOneOfTheOther() {
    ModelVersion first = uploaded("UTILIZATION", 7);
    insist(first);
    ModelVersion second = uploaded("UTILIZATION", 9);
    ModelVersion memory = uploaded("PEAK_MEMORY", 11);

    assertThat(second.parent()).isEqualTo(first.parent());
    assertThat(memory.parent()).isEqualTo(first.sha256());
    insist(memory);
    assertThatThrownBy(() -> uploaded("UTILIZATION", 13))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("too-many-regressors"));
    assertThat(serving.files().baseOf(memory).kind()).isEqualTo(Kind.BASE);
  }

  @Test
  void anUploadWithoutThePluginNamesWhatIsMissing() {
    PredictorFiles files =
        new PredictorFiles(
            store.versions(), BaseModel.Reader.STANDARD, () -> serving.served().sha256());

    assertThatThrownBy(
            () -> files.describe(archive("UTILIZATION", 7), "the upload", Origin.UPLOADED, NOW))
        .isInstanceOfSatisfying(
            InputException.class,
            e -> {
              assertThat(e.code()).isEqualTo("regressors-not-installed");
              assertThat(e).hasMessageContaining("cotenant.models.regressor-plugin");
            });
  }
}
