package dev.cotenant.evaluation.shareability;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.evaluation.predictor.GivenTest;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.hybrid.HybridTrainer;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.TrainingProgress;
import dev.cotenant.predictor.train.TrainingSettings;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Errors and bounds that decide about sharing, on named networks: each family is predicted by a
 * training without its rows, in the sets learned from and in those held out, beside baselines that
 * learn from the same rows. Protocol {@code family-held-out}.
 */
public final class HeldOutFamilies {
  private static final String PROTOCOL = "family-held-out";
  private final DeviceCatalogue catalogue;
  private final TrainingSettings settings;

  public HeldOutFamilies(DeviceCatalogue catalogue, TrainingSettings settings) {
    this.catalogue = catalogue;
    this.settings = settings;
  }

  /**
   * The figures by set and of all together.
   *
   * @param learned sets to train on; random networks among them stay in every training
   * @param aside sets that no training sees
   * @param progress hears of each family
   */
  public List<EvaluationRow> evaluate(
      List<ProfileSource.Result> learned, List<ProfileRow> aside, TrainingProgress progress) {
    List<ProfileRow> tested = new ArrayList<>();
    learned.forEach(
        set -> set.rows().stream().filter(HeldOutFamilies::isNamed).forEach(tested::add));
    tested.addAll(aside);
    tested.removeIf(row -> !isScored(row));
    List<String> families = tested.stream().map(ProfileRow::family).distinct().sorted().toList();
    Map<String, GivenTest.Fold> folds = new TreeMap<>();
    for (String family : families) {
      folds.put(family, without(learned, family));
      progress.advanced(family, folds.size(), families.size());
    }
    return tested.isEmpty()
        ? List.of()
        : new GivenTest(PROTOCOL, catalogue, row -> Objects.requireNonNull(folds.get(row.family())))
            .evaluate(tested, EnumSet.allOf(Target.class));
  }

  private static boolean isNamed(ProfileRow row) {
    return !row.source().startsWith("gpumemnet");
  }

  private static boolean isScored(ProfileRow row) {
    return row.settings().mode() == ExecutionMode.TRAINING
        && row.quality() == ProfileRow.Quality.CLEAN
        && row.utilization() != null
        && row.peakMemory() != null;
  }

  private GivenTest.Fold without(List<ProfileSource.Result> learned, String family) {
    List<ProfileSource.Result> rest =
        learned.stream()
            .map(set ->
                new ProfileSource.Result(
                    set.rows().stream().filter(row -> !row.family().equals(family)).toList(),
                    set.rejected(),
                    set.sha256(),
                    set.file()))
            .toList();
    Predictor predictor =
        Predictor.of(new HybridTrainer(catalogue, settings).train(rest, TrainingProgress.SILENT));
    return new GivenTest.Fold(
        predictor,
        rest.stream()
            .flatMap(set -> set.rows().stream())
            .filter(HybridTrainer::isComparable)
            .toList());
  }
}
