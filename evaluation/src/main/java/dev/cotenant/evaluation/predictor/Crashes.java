package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.predictor.hybrid.HybridFit;
import dev.cotenant.predictor.model.Target;
import java.util.List;

/**
 * The utilization that was seen of runs that died early, which their inputs tell: the mean over
 * their start and over what they lived.
 *
 * <p>In GPUMemNet a perceptron of one output dies in its first step, and a network with batch
 * normalisation dies at the end of its first pass over the data, where the last batch is of one
 * sample. The second lived the longer the smaller its batches. Memory explains none of these
 * crashes: all fit the device many times over.
 */
final class Crashes {
  // seen = (level · start + alive · pass) / (start + pass)
  // level: between what a start alone shows and what the least busy run that lived shows; the
  // middle of the two logarithms, moved by dead runs of the training part as if the middle were
  // BELIEF_ROWS of them.
  /** Starting a framework and a context takes seconds. */
  private static final double START_SECONDS = 5;

  private static final double START_PERCENT = 5;

  /** What GPUMemNet's runs call a pass over the data. */
  private static final double PASS_SAMPLES = 4096;

  private static final double BELIEF_ROWS = 2;

  private final HybridFit alive;
  private final double levelPercent;
  private final double offset;

  /**
   * @param alive learned from the rows that lived
   * @param training what was learned from, dead rows among them or not
   */
  Crashes(HybridFit alive, List<ProfileRow> training) {
    this.alive = alive;
    double start = Math.log1p(START_PERCENT);
    double least =
        training.stream()
            .filter(row -> row.quality() == Quality.CLEAN)
            .mapToDouble(Target.UTILIZATION::plainLogOf)
            .min()
            .orElse(start);
    levelPercent = Math.expm1((start + least) / 2);
    List<ProfileRow> dead =
        training.stream().filter(row -> row.quality() != Quality.CLEAN).toList();
    double missed =
        dead.stream().mapToDouble(row -> Target.UTILIZATION.plainLogOf(row) - expected(row)).sum();
    offset = missed / (dead.size() + BELIEF_ROWS);
  }

  /** log1p of the percentage that was seen. */
  double log(ProfileRow row) {
    return expected(row) + offset;
  }

  private double expected(ProfileRow row) {
    boolean isFirstStep = row.features().normalizations() == 0;
    double steps = isFirstStep ? 0 : PASS_SAMPLES / row.features().batchSize();
    double pass = steps * alive.stepSeconds(row);
    double busy = levelPercent * START_SECONDS + Math.expm1(alive.log(row)) * pass;
    return Math.log1p(busy / (START_SECONDS + pass));
  }
}
