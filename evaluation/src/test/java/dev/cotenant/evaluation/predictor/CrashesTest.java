package dev.cotenant.evaluation.predictor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow.Subject;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.predictor.hybrid.HybridFit;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.testing.SyntheticRuns;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class CrashesTest {
  private static final Offset<Double> TINY = Offset.offset(1e-9);

  private static final List<ProfileRow> ROWS = SyntheticRuns.result(150, "a100-40gb", 3).rows();
  private static final List<ProfileRow> LIVED =
      ROWS.stream().filter(row -> row.quality() == Quality.CLEAN).toList();
  private static final List<ProfileRow> DEAD =
      ROWS.stream().filter(row -> row.quality() != Quality.CLEAN).toList();
  private static final HybridFit FIT =
      HybridFit.of(LIVED, new HybridFit.Way(Target.UTILIZATION, DeviceCatalogue.builtIn(), 1));
  private static final double START = Math.log1p(5);

  private static double leastLog() {
    return LIVED.stream().mapToDouble(Target.UTILIZATION::plainLogOf).min().orElseThrow();
  }

  private static List<ProfileRow> with(boolean normalizes) {
    return LIVED.stream()
        .filter(row -> (row.features().normalizations() > 0) == normalizes)
        .toList();
  }

  @Test
  void aRunThatDiesInItsFirstStepShowsItsStart() {
    Crashes crashes = new Crashes(FIT, LIVED);
    // halfway, in the logarithm, between a start alone and the least busy run that lived
    double level = (START + leastLog()) / 2;
    for (ProfileRow row : with(false)) {
      assertThat(crashes.log(row)).isCloseTo(level, TINY);
    }
  }

  @Test
  void aRunThatDiesAfterOnePassShowsAlsoWhatItLived() {
    Crashes crashes = new Crashes(FIT, LIVED);
    double level = Math.expm1((START + leastLog()) / 2);
    for (ProfileRow row : with(true)) {
      double pass = 4096.0 / row.features().batchSize() * FIT.stepSeconds(row);
      double alive = Math.expm1(FIT.log(row));
      double seen = (5 * level + pass * alive) / (5 + pass);
      assertThat(crashes.log(row)).isCloseTo(Math.log1p(seen), TINY);
    }
  }

  @Test
  void crashesOfTheTrainingPartMoveIt() {
    List<ProfileRow> training = new ArrayList<>(LIVED);
    training.addAll(DEAD);
    Crashes without = new Crashes(FIT, LIVED);
    double missed =
        DEAD.stream()
            .mapToDouble(row -> Target.UTILIZATION.plainLogOf(row) - without.log(row))
            .sum();
    ProfileRow asked = DEAD.getFirst();
    // the belief counts as two rows
    assertThat(new Crashes(FIT, training).log(asked))
        .isCloseTo(without.log(asked) + missed / (DEAD.size() + 2), TINY);
  }

  @Test
  void referencesAreOfTheRowsTheyWereMeasuredOn() {
    Subject subject = new Subject("utilization", "random-5fold/clean/gpumemnet", "hybrid", "rmsle");
    assertThat(Gpumemnet.among(ROWS)).isEmpty();
    assertThat(Gpumemnet.references(ROWS).find(subject)).isNull();
    assertThat(Gpumemnet.references(List.of()).find(subject)).isEqualTo(0.042);
  }
}
