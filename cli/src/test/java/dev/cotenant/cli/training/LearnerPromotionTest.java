package dev.cotenant.cli.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.engine.lifecycle.BaseModel;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Promotion;
import dev.cotenant.engine.lifecycle.Promotions;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.profile.StoredProfile;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.evaluation.learner.Learners;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.hybrid.HybridTrainer;
import dev.cotenant.predictor.testing.SyntheticRuns;
import dev.cotenant.predictor.train.TrainingProgress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Files of {@code train --learner} pass the gate by which the service promotes, or do not. */
class LearnerPromotionTest {
  private static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

  private final FakeModelStore store = new FakeModelStore();
  private final Serving serving =
      new Serving(store, BaseModel.Reader.STANDARD, Predictor.builtInFile(), () -> NOW);
  private final Promotions promotions = new Promotions(store, serving, () -> DEVICES, () -> NOW);

  /** What a training may see of the rows in the store. */
  private List<ProfileRow> shown() {
    return store.profiles().all().stream()
        .filter(row -> !row.isHeldOut())
        .map(StoredProfile::row)
        .toList();
  }

  /** Each run with the measurement of the next. */
  private static List<ProfileRow> mixedUp(List<ProfileRow> rows) {
    return IntStream.range(0, rows.size())
        .mapToObj(i -> measured(rows.get(i), rows.get((i + 1) % rows.size())))
        .toList();
  }

  private static ProfileRow measured(ProfileRow run, ProfileRow other) {
    return new ProfileRow(
        run.source(),
        run.family(),
        run.topology(),
        run.features(),
        run.settings(),
        run.device(),
        other.measurement(),
        run.licence(),
        run.quality());
  }

  private ModelVersion uploaded(List<ProfileRow> rows) {
    var read = new ProfileSource.Result(rows, List.of(), "00".repeat(32), "runs.csv");
    byte[] file =
        new HybridTrainer(DEVICES, Learners.settings("smile-forest", 1))
            .train(List.of(read), TrainingProgress.SILENT)
            .toBytes();
    ModelVersion version =
        serving.files().describe(file, "upload", ModelVersion.Origin.UPLOADED, NOW);
    store.versions().add(version, file);
    return version;
  }

  @Test
  void aBetterFileIsPromotedByItsFiguresAndAWorseOneIsRefusedWithThem() {
    serving.refresh();
    store.profiles().add("", SyntheticRuns.result(80, "a100-40gb", 5).rows(), NOW);
    ModelVersion better = uploaded(shown());
    ModelVersion worse = uploaded(mixedUp(shown().subList(0, 20)));

    Promotion promotion = promotions.promote(better.label(), "alice", Optional.empty());

    assertThat(promotion.grounds()).isEqualTo(Promotion.Grounds.BETTER);
    assertThat(promotion.reason()).matches("Held-out rows: RMSLE [0-9.]+, .* against RMSLE .*");
    assertThat(serving.served().sha256()).isEqualTo(better.sha256());
    assertThatThrownBy(() -> promotions.promote(worse.label(), "alice", Optional.empty()))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.code()).isEqualTo("not-better"))
        .hasMessageMatching(".*held-out rows \\(RMSLE [0-9.]+, .* against RMSLE [0-9.]+, .*");
    assertThat(serving.served().sha256()).isEqualTo(better.sha256());
  }
}
