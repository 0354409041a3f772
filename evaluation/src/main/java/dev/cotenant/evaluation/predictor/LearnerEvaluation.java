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
 * Compares the learners of {@link Learners} on the same held-out clean rows: the root mean squared
 * logarithmic error and, on random folds, the share of rows below the upper bound. Protocols end
 * with {@code /learners}.
 */
public final class LearnerEvaluation {
  static final String SUFFIX = "/clean/learners";

  private static final List<Protocol> PROTOCOLS =
      List.of(
          Protocol.RANDOM_5FOLD, Protocol.TOPOLOGY_OUT, Protocol.FAMILY_OUT, Protocol.DEVICE_OUT);

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
   *     that the catalogue lacks; ({@code learner-not-installed})
   */
  public List<EvaluationRow> evaluate(List<ProfileRow> all, TrainingProgress progress) {
    List<ProfileRow> rows =
        PredictorEvaluation.Selection.CLEAN.of(
            all.stream().filter(HybridTrainer::isComparable).toList());
    int total = Target.values().length * PROTOCOLS.size() * Learners.all().size();
    int done = 0;
    List<EvaluationRow> table = new ArrayList<>();
    for (Target target : Target.values()) {
      List<ProfileRow> data = rows.stream().filter(target::isMeasured).toList();
      Figures figures = new Figures(target.task(), References.NONE);
      for (Protocol protocol : PROTOCOLS) {
        List<HoldOut> splits = protocol.boundSplits(data, settings.seed());
        for (TreeLearner learner : Learners.all()) {
          add(figures.under(protocol.label() + SUFFIX), splits, way(target, learner));
          progress.advanced(learner.name() + ", " + protocol.label(), ++done, total);
        }
      }
      table.addAll(figures.rows());
    }
    return table;
  }

  private Competitor.Way way(Target target, TreeLearner learner) {
    TreeLearner installed = Learners.require(learner.name());
    return new Competitor.Way(target, catalogue, settings.withLearner(installed));
  }

  /** One row's estimate, and whether it lies below its bound. */
  private record Judged(RowScore score, boolean isBelow) {}

  private void add(Figures.Sheet figures, List<HoldOut> splits, Competitor.Way way) {
    if (splits.isEmpty()) {
      return;
    }
    boolean isBounded = figures.protocol().startsWith(Protocol.RANDOM_5FOLD.label());
    List<Judged> judged =
        splits.parallelStream().flatMap(split -> judge(split, way, isBounded).stream()).toList();
    String name = way.settings().learner().name();
    List<RowScore> scores = judged.stream().map(Judged::score).toList();
    figures.add(name, "rmsle", LogErrors.rmsle(RowScore.all(scores)), judged.size());
    if (isBounded) {
      double below = judged.stream().filter(Judged::isBelow).count();
      figures.add(name, "bound_coverage", below / judged.size(), judged.size());
    }
  }

  private List<Judged> judge(HoldOut split, Competitor.Way way, boolean isBounded) {
    List<ProfileRow> rows = split.training().all();
    HybridFit fit =
        isBounded
            ? HybridFit.calibrated(rows, settings.coverage().fraction(), way.layers())
            : HybridFit.of(rows, way.layers());
    return split.test().stream()
        .map(row -> {
          double log = fit.log(row);
          double upper = isBounded ? log + fit.offsets(row).upper() : log;
          return new Judged(
              RowScore.of(row, way.target(), log), way.target().plainLogOf(row) <= upper);
        })
        .toList();
  }
}
