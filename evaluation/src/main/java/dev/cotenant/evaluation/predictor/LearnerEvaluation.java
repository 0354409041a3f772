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
 * logarithmic error and, on the first random fold, the share of rows below the upper bound.
 * Protocols end with {@code /learners}.
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

  private void add(Figures.Sheet figures, List<HoldOut> splits, Competitor.Way way) {
    if (splits.isEmpty()) {
      return;
    }
    String name = way.settings().learner().name();
    List<RowScore> scores =
        splits.parallelStream()
            .flatMap(split -> {
              HybridFit fit = HybridFit.of(split.training().all(), way.layers());
              return split.test().stream().map(row -> RowScore.of(row, way.target(), fit.log(row)));
            })
            .toList();
    figures.add(name, "rmsle", LogErrors.rmsle(RowScore.all(scores)), scores.size());
    if (figures.protocol().startsWith(Protocol.RANDOM_5FOLD.label())) {
      addBound(figures, splits.getFirst(), way);
    }
  }

  private void addBound(Figures.Sheet figures, HoldOut split, Competitor.Way way) {
    HybridFit fit = Competitor.bounded(split.training(), settings.coverage().fraction(), way);
    List<ProfileRow> test = split.test();
    double below =
        test.stream()
            .filter(row -> way.target().plainLogOf(row) <= fit.log(row) + fit.offsets(row).upper())
            .count();
    figures.add(
        way.settings().learner().name(), "bound_coverage", below / test.size(), test.size());
  }
}
