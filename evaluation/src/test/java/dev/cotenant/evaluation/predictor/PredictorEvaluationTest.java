package dev.cotenant.evaluation.predictor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.evaluation.Scores;
import dev.cotenant.evaluation.learner.ForestSettings;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.hybrid.HybridTrainer;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.testing.SyntheticRuns;
import dev.cotenant.predictor.train.TrainingProgress;
import dev.cotenant.predictor.train.TrainingSettings;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PredictorEvaluationTest {
  private static final TrainingSettings SETTINGS = TrainingSettings.standard(1);
  private static final int DRAWS = 30;
  private static final PredictorEvaluation.Cost LITTLE =
      new PredictorEvaluation.Cost(List.of(new ForestSettings(8, 0.5, 3)), DRAWS);
  private static final ProfileSource.Result A100 = SyntheticRuns.result(80, "a100-40gb", 5);
  private static final ProfileSource.Result V100 = SyntheticRuns.result(40, "v100-16gb", 6);

  private static final Offset<Double> TINY = Offset.offset(1e-9);

  private static List<EvaluationRow> table = List.of();

  @BeforeAll
  static void evaluateOnce() {
    List<ProfileRow> rows = new ArrayList<>(A100.rows());
    rows.addAll(V100.rows());
    table =
        new PredictorEvaluation(DeviceCatalogue.builtIn(), SETTINGS, 2, LITTLE)
            .evaluate(rows, TrainingProgress.SILENT);
  }

  private static EvaluationRow find(String task, String protocol, String model, String metric) {
    return table.stream()
        .filter(row ->
            row.task().equals(task)
                && row.protocol().equals(protocol)
                && row.model().equals(model)
                && row.metric().equals(metric))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void runsEveryProtocolOnCleanAndOnAllRows() {
    for (String protocol :
        List.of(
            "random-5fold",
            "topology-out",
            "largest-out",
            "mlp-to-cnn",
            "cnn-to-mlp",
            "family-out",
            "device-out")) {
      assertThat(find("utilization", protocol + "/clean", "forest", "rmsle").value()).isPositive();
      assertThat(find("memory", protocol + "/all", "forest", "rmsle").value()).isPositive();
    }
  }

  /** Both devices are of one project, so that a family left out ran on a host that is known. */
  @Test
  void judgesBoundsOfMemoryWithTheHostNamedAndWithout() {
    double named = find("memory", "family-out/clean", "hybrid", "bound_width").value();
    double unnamed =
        find("memory", "family-out/clean/unnamed-host", "hybrid", "bound_width").value();
    assertThat(named).isPositive().isLessThan(unnamed);
    assertThat(table.stream().filter(row -> row.protocol().endsWith("/unnamed-host")))
        .extracting(EvaluationRow::task)
        .containsOnly("memory");
  }

  @Test
  void drawsFewRowsManyTimes() {
    EvaluationRow drawn = find("utilization", "utilpred-81/clean", "hybrid", "rmsle");
    assertThat(drawn.seeds()).isEqualTo(DRAWS);
    assertThat(Protocol.UTILPRED_81.seeds(2)).isEqualTo(200);
    assertThat(drawn.rows()).isEqualTo(16);
    EvaluationRow gain = find("utilization", "utilpred-81/clean", "hybrid", GainInterval.GAIN);
    double lower =
        find("utilization", "utilpred-81/clean", "hybrid", GainInterval.GAIN + "_lower95").value();
    // 1.96 standard errors
    assertThat(gain.value() - lower).isCloseTo(1.96 * gain.sd() / Math.sqrt(DRAWS), TINY);
    EvaluationRow shots = find("utilization", "mlp-to-cnn-10shot/all", "hybrid", "rmsle");
    EvaluationRow none = find("utilization", "mlp-to-cnn/all", "hybrid", "rmsle");
    assertThat(shots.rows()).isEqualTo(none.rows() - 10);
  }

  @Test
  void leavesOutModelsThatWereMeasuredAtSeveralBatches() {
    List<ProfileRow> single = SyntheticRuns.result(60, "a100-40gb", 5).rows();
    List<ProfileRow> batches = SyntheticRuns.batches(3, "a100-40gb", 7);
    List<ProfileRow> rows = new ArrayList<>(single);
    rows.addAll(batches);
    List<HoldOut> splits = Protocol.MODEL_OUT.splits(rows, 1);
    assertThat(splits).hasSize(1);
    assertThat(splits.getFirst().test()).isEqualTo(batches);
    assertThat(splits.getFirst().training().all()).isEqualTo(single);
    assertThat(Protocol.MODEL_OUT.splits(single, 1)).isEmpty();
  }

  @Test
  void leavesOutProtocolsWhoseGroupsAreAbsent() {
    assertThat(Protocol.DEVICE_OUT.splits(A100.rows(), 1)).isEmpty();
    assertThat(Protocol.MODEL_OUT.splits(A100.rows(), 1)).isEmpty();
    assertThat(table.stream().map(EvaluationRow::protocol))
        .contains("device-out/clean")
        .doesNotContain("model-out/clean", "model-out/all");
  }

  @Test
  void oursBeatsTheBaselinesWhereTrainAndTestAreAlike() {
    double ours = find("utilization", "random-5fold/clean", "hybrid", "rmsle").value();
    for (String baseline : List.of("constant", "batch-only", "flops-only", "roofline")) {
      double other = find("utilization", "random-5fold/clean", baseline, "rmsle").value();
      assertThat(ours).isLessThan(other);
    }
  }

  @Test
  void boundHoldsInAboutTheShareOfCasesPromised() {
    assertThat(find("utilization", "random-5fold/clean", "hybrid", "bound_coverage").value())
        .isBetween(0.85, 1.0);
    assertThat(find("memory", "random-5fold/clean", "hybrid", "bound_coverage").value())
        .isBetween(0.85, 1.0);
    for (String protocol : List.of("mlp-to-cnn-10shot/clean", "family-out/clean")) {
      assertThat(find("utilization", protocol, "hybrid", "bound_pinball").value()).isPositive();
    }
  }

  @Test
  void countsRowsAndSeeds() {
    EvaluationRow clean = find("utilization", "random-5fold/clean", "forest", "rmsle");
    // every 50th row of 80 and of 40 is a suspected crash
    assertThat(clean.rows()).isEqualTo(120 - 1);
    assertThat(clean.seeds()).isEqualTo(2);
    assertThat(clean.min()).isLessThanOrEqualTo(clean.value()).isPositive();
    assertThat(clean.max()).isGreaterThanOrEqualTo(clean.value());
    assertThat(clean.reference()).isNull();
    assertThat(find("utilization", "random-5fold/all", "forest", "rmsle").rows()).isEqualTo(120);
  }

  @Test
  void scoresByHand() {
    // log1p(9) − log1p(99) = −ln 10 and 0: root of (ln 10)^2 / 2
    Scores scores = new Scores();
    scores.add(Math.log1p(99), Math.log1p(9));
    scores.add(Math.log1p(50), Math.log1p(50));
    assertThat(LogErrors.rmsle(scores)).isCloseTo(Math.log(10) / Math.sqrt(2), TINY);
    // |9 − 99| and 0
    assertThat(LogErrors.meanAbsolutePoints(scores)).isCloseTo(45, TINY);
    // 100 against 10: 0.9 too low; equal: 0
    assertThat(LogErrors.medianRelativeError(scores)).isCloseTo(0.45, TINY);
  }

  @Test
  void testsAPredictorOnGivenRows() {
    var predictor =
        Predictor.of(
            new HybridTrainer(DeviceCatalogue.builtIn(), SETTINGS)
                .train(List.of(A100), TrainingProgress.SILENT));
    List<EvaluationRow> given =
        new GivenTest(predictor, DeviceCatalogue.builtIn(), A100.rows())
            .evaluate(V100.rows(), EnumSet.allOf(Target.class));
    assertThat(given)
        .extracting(EvaluationRow::protocol)
        .containsOnly("given-test/clean", "given-test/all");
    assertThat(given)
        .extracting(EvaluationRow::metric)
        .contains("rmsle", "mae_points", "median_ape", "bound_coverage", "bound_pinball");
    assertThat(given)
        .extracting(EvaluationRow::model)
        .contains("hybrid", "constant", "roofline", "forest", "nearest-device");
    assertThat(given.getFirst().rows()).isEqualTo(40);
  }

  @Test
  void refusesATestThatScoresNothing() {
    GivenTest test =
        new GivenTest(
            request -> {
              throw new AssertionError(request);
            },
            DeviceCatalogue.builtIn(),
            List.of());
    List<ProfileRow> unmeasured =
        V100.rows().stream()
            .map(row ->
                new ProfileRow(
                    row.source(),
                    row.family(),
                    row.topology(),
                    row.features(),
                    row.settings(),
                    row.device(),
                    Measurement.NONE,
                    row.licence(),
                    row.quality()))
            .toList();
    for (List<ProfileRow> rows : List.of(List.<ProfileRow>of(), unmeasured)) {
      assertThatThrownBy(() -> test.evaluate(rows, EnumSet.of(Target.UTILIZATION)))
          .isInstanceOfSatisfying(
              InputException.class, e -> assertThat(e.code()).isEqualTo("nothing-scored"));
    }
  }

  @Test
  void cardNamesDataSeedFiguresAndLimits() {
    var trained =
        new HybridTrainer(DeviceCatalogue.builtIn(), SETTINGS)
            .train(List.of(A100, V100), TrainingProgress.SILENT);
    String card = new ModelCard(Predictor.of(trained), table).toMarkdown();
    assertThat(card)
        .contains(
            Predictor.of(trained).version(),
            "| synthetic runs.csv | `" + "00".repeat(32) + "` | 80 | 79 | 0 |",
            "Seed 1. Fitted",
            "| utilization | a random fifth of the runs | 119 | ",
            "| all rows | ",
            "Inference: no measured run",
            "without a licence statement");
    assertThat(card).isEqualTo(new ModelCard(Predictor.of(trained), table).toMarkdown());
  }
}
