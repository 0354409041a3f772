package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.References;
import dev.cotenant.evaluation.learner.Learners;
import dev.cotenant.learning.trees.TreeLearner;
import dev.cotenant.predictor.hybrid.HybridFit;
import dev.cotenant.predictor.hybrid.HybridTrainer;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.TrainingProgress;
import dev.cotenant.predictor.train.TrainingSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares the installed learners of {@link Learners} on the same held-out clean rows: a random
 * fifth, and fifths of the layouts. Elsewhere corrections fade to the prior, which they share.
 * Figures are the root mean squared logarithmic error and the share of the random fifth below the
 * upper bound; protocols end with {@code /learners}.
 */
public final class LearnerEvaluation {
  static final String SUFFIX = "/clean/learners";

  private final DeviceCatalogue catalogue;
  private final TrainingSettings settings;

  /**
   * @param settings seed and coverage
   */
  public LearnerEvaluation(DeviceCatalogue catalogue, TrainingSettings settings) {
    this.catalogue = catalogue;
    this.settings = settings;
  }

  /**
   * Evaluates on clean rows of fp32 training; others are left out.
   *
   * @throws dev.cotenant.domain.InputException ({@code unknown-device}) when a row ran on a device
   *     that the catalogue lacks
   */
  public List<EvaluationRow> evaluate(List<ProfileRow> all, TrainingProgress progress) {
    List<ProfileRow> rows =
        PredictorEvaluation.Selection.CLEAN.of(
            all.stream().filter(HybridTrainer::isComparable).toList());
    List<TreeLearner> learners = Learners.installed();
    int total = Target.values().length * learners.size();
    int done = 0;
    List<EvaluationRow> table = new ArrayList<>();
    for (Target target : Target.values()) {
      List<ProfileRow> data = rows.stream().filter(target::isMeasured).toList();
      Figures figures = new Figures(target.task(), References.NONE);
      for (TreeLearner learner : learners) {
        Competitor.Way way = way(target, learner);
        addBounded(
            figures.under(Protocol.RANDOM_5FOLD.label() + SUFFIX),
            Protocol.RANDOM_5FOLD.splits(data, settings.seed()).getFirst(),
            way);
        add(
            figures.under(Protocol.TOPOLOGY_OUT.label() + SUFFIX),
            Protocol.TOPOLOGY_OUT.boundSplits(data, settings.seed()),
            way);
        progress.advanced(target.task() + " by " + learner.name(), ++done, total);
      }
      table.addAll(figures.rows());
    }
    return table;
  }

  private Competitor.Way way(Target target, TreeLearner learner) {
    return new Competitor.Way(target, catalogue, settings.withLearner(learner));
  }

  private static void add(Figures.Sheet figures, List<HoldOut> splits, Competitor.Way way) {
    if (splits.isEmpty()) {
      return;
    }
    List<RowScore> scores =
        splits.parallelStream()
            .flatMap(split ->
                scores(HybridFit.of(split.training().all(), way.hybrid()), split, way).stream())
            .toList();
    addError(figures, scores, way);
  }

  private void addBounded(Figures.Sheet figures, HoldOut split, Competitor.Way way) {
    HybridFit fit = Competitor.bounded(split.training(), settings.coverage().fraction(), way);
    List<ProfileRow> test = split.test();
    addError(figures, scores(fit, split, way), way);
    double below =
        test.stream()
            .filter(row -> way.target().plainLogOf(row) <= fit.log(row) + fit.offsets(row).upper())
            .count();
    String name = way.settings().learner().name();
    figures.add(name, "bound_coverage", below / test.size(), test.size());
  }

  private static List<RowScore> scores(HybridFit fit, HoldOut split, Competitor.Way way) {
    return split.test().stream().map(row -> RowScore.of(row, way.target(), fit.log(row))).toList();
  }

  private static void addError(Figures.Sheet figures, List<RowScore> scores, Competitor.Way way) {
    double error = LogErrors.rmsle(RowScore.all(scores));
    figures.add(way.settings().learner().name(), "rmsle", error, scores.size());
  }
}
