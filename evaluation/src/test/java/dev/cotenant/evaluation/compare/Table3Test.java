package dev.cotenant.evaluation.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cotenant.datasets.gpumemnet.GpuMemNetSource;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.TrainingProgress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class Table3Test {
  private final List<String> notes = new ArrayList<>();
  private final Table3 table = new Table3(DeviceCatalogue.builtIn(), 1, notes::add);

  /** Knows every answer: what a learner that looks at the test rows would reach. */
  private static final class Oracle implements UtilizationLearner {
    private final List<Integer> learnedFrom = new ArrayList<>();

    @Override
    public String name() {
      return "oracle";
    }

    @Override
    public Function<ProfileRow, Utilization> fit(List<ProfileRow> rows, long seed) {
      learnedFrom.add(rows.size());
      return row -> Objects.requireNonNull(row.utilization());
    }
  }

  private static List<ProfileRow> gpuMemNet() {
    Path file = OutsideData.require("data/gpumemnet/runs.csv.gz");
    return new GpuMemNetSource(file).read().rows();
  }

  @Test
  void comparesThePublishedFamiliesOnCleanAndOnAllRows() {
    Oracle oracle = new Oracle();
    List<Integer> done = new ArrayList<>();
    List<EvaluationRow> rows =
        table.run(
            gpuMemNet(), 1, List.of(oracle), (step, count, total) -> done.add(count * 10 + total));

    assertThat(notes).isEmpty();
    assertThat(done).containsExactly(12, 22);
    assertThat(oracle.learnedFrom).containsExactly(64, 64);
    assertThat(rows)
        .filteredOn(row -> row.metric().equals("rmsle"))
        .extracting(row -> row.protocol() + " " + row.model())
        .containsSequence(
            "utilpred-81/clean/table3 linear",
            "utilpred-81/clean/table3 lightgbm",
            "utilpred-81/clean/table3 xgboost",
            "utilpred-81/clean/table3 forest")
        .contains("utilpred-81/all/table3 forest", "utilpred-81/clean/table3 constant");
    assertThat(rows).allMatch(row -> row.seeds() == 1 && row.rows() == 17);
    assertThat(value(rows, "oracle", "rmsle")).isZero();
    assertThat(value(rows, "oracle", "rmsle_gain_over_forest"))
        .isEqualTo(value(rows, "forest", "rmsle"));
    assertThat(rows)
        .filteredOn(row -> row.reference() != null)
        .extracting(EvaluationRow::reference)
        .containsExactly(0.291, 0.255, 0.197, 0.154, 0.291, 0.255, 0.197, 0.154);
  }

  private static double value(List<EvaluationRow> rows, String model, String metric) {
    return rows.stream()
        .filter(row -> row.protocol().equals("utilpred-81/clean/table3"))
        .filter(row -> row.model().equals(model) && row.metric().equals(metric))
        .findFirst()
        .orElseThrow()
        .value();
  }

  @Test
  void sameSeedGivesTheSameErrors() {
    List<ProfileRow> rows = gpuMemNet();
    for (RegressionLearner family : Table3.families()) {
      UtilizationLearner learner = new OnVectors(family, DeviceCatalogue.builtIn());
      assertThat(Draw.of(rows, 4).judge(learner))
          .as(family.name())
          .isEqualTo(Draw.of(rows, 4).judge(learner));
    }
  }

  @Test
  void aDrawHoldsNoRowTwice() {
    List<ProfileRow> rows = gpuMemNet().stream().filter(Target.UTILIZATION::isMeasured).toList();
    for (long seed = 0; seed < 20; seed++) {
      Draw draw = Draw.of(rows, seed);
      List<ProfileRow> both = new ArrayList<>(draw.train());
      both.addAll(draw.test());
      assertThat(new HashSet<>(both)).hasSize(81);
      assertThat(draw.test()).hasSize(17);
    }
  }

  @Test
  void saysThatItHasTooFewRows() {
    assertThat(table.run(List.of(), 5, List.of(), TrainingProgress.SILENT)).isEmpty();
    assertThat(notes)
        .containsExactly(
            "utilpred-81/clean/table3 is left out: it draws 81 rows of GPUMemNet and there are 0"
                + " (--data gpumemnet:FILE).",
            "utilpred-81/all/table3 is left out: it draws 81 rows of GPUMemNet and there are 0"
                + " (--data gpumemnet:FILE).");
  }

  @Test
  void refusesNoSeeds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> table.run(List.of(), 0, List.of(), TrainingProgress.SILENT));
  }
}
