package dev.cotenant.predictor.train;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.forest.Forest;
import dev.cotenant.predictor.forest.ResidualQuantiles;
import dev.cotenant.predictor.forest.TargetModel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How often the bounds of what is new hold on a group (a family, a device) that neither trees nor
 * bounds have seen.
 *
 * <p>For every group left out, forest and bounds are made from the others alone; the group's
 * coverage is the lesser of the shares of its rows above the lower and below the upper bound. The
 * answer is the mean over groups, each counting once whatever its rows, since the next question
 * comes from one more group; small groups are pooled into one. A few groups make a rough figure.
 */
final class GroupCoverage {
  /** Enough for bounds; what is served has more. */
  private static final int TREES = 24;

  private final ForestSettings settings;
  private final TrainingSettings training;
  private final Runnable onForest;

  GroupCoverage(ForestSettings settings, TrainingSettings training, Runnable onForest) {
    this.settings = settings.withTrees(Math.min(TREES, settings.trees()));
    this.training = training;
    this.onForest = onForest;
  }

  private record Held(int rows, int belowUpper, int aboveLower) {
    Held plus(Held other) {
      return new Held(
          rows + other.rows, belowUpper + other.belowUpper, aboveLower + other.aboveLower);
    }

    double share() {
      return (double) Math.min(belowUpper, aboveLower) / rows;
    }
  }

  /** Null where there are no groups. */
  @Nullable Coverage of(TrainingTable table, List<Folds.Split> groups) {
    List<Held> judged = new ArrayList<>();
    Held pool = new Held(0, 0, 0);
    for (Folds.Split group : groups) {
      Held held = judge(table.select(group.train()), table.select(group.test()));
      if (held.rows() >= Calibration.MIN_GROUP_ROWS) {
        judged.add(held);
      } else {
        pool = pool.plus(held);
      }
    }
    if (pool.rows() > 0) {
      judged.add(pool);
    }
    double mean = judged.stream().mapToDouble(Held::share).average().orElse(Double.NaN);
    return Double.isNaN(mean) ? null : Coverage.of(Math.min(mean, training.coverage().fraction()));
  }

  private Held judge(TrainingTable train, TrainingTable test) {
    TargetModel model = new Calibration(settings, training, onForest).bounds(train);
    int below = 0;
    int above = 0;
    for (int row = 0; row < test.size(); row++) {
      Forest.Estimate estimate = model.forest().estimate(test.vector(row));
      ResidualQuantiles offsets = model.novelOffsets(estimate);
      double residual = test.log(row) - estimate.mean();
      below += residual <= offsets.upper() ? 1 : 0;
      above += residual >= offsets.lower() ? 1 : 0;
    }
    return new Held(test.size(), below, above);
  }
}
