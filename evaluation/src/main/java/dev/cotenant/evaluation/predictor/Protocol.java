package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.Folds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** How rows are held out. */
enum Protocol {
  /** Five random folds; only the seed decides them. */
  RANDOM_5FOLD("random-5fold", 1, 1, Targets.BOTH),
  /**
   * [UtilPred, section 4]: 81 rows drawn from all, four fifths to learn from, no other row seen.
   */
  UTILPRED_81("utilpred-81", 200, 20, Targets.UTILIZATION),
  /** Leave-one-layout-out: a layout's rows include every generator and batch. */
  TOPOLOGY_OUT("topology-out", 0, 1, Targets.BOTH),
  /** Learn from perceptrons, predict convolutional networks. */
  MLP_TO_CNN("mlp-to-cnn", 0, 1, Targets.BOTH),
  /** {@link #MLP_TO_CNN} with ten test rows for calibration. */
  MLP_TO_CNN_10SHOT("mlp-to-cnn-10shot", 8, 2, Targets.UTILIZATION),
  /** Learn from convolutional networks, predict perceptrons. */
  CNN_TO_MLP("cnn-to-mlp", 0, 1, Targets.BOTH),
  /** {@link #CNN_TO_MLP} with ten test rows for calibration. */
  CNN_TO_MLP_10SHOT("cnn-to-mlp-10shot", 8, 2, Targets.UTILIZATION),
  /** Learn from four fifths, predict the fifth with the most FLOPs. */
  LARGEST_OUT("largest-out", 0, 0, Targets.BOTH),
  /** Leave-one-family-out. */
  FAMILY_OUT("family-out", 0, 1, Targets.BOTH),
  /** Leave-one-device-out. */
  DEVICE_OUT("device-out", 0, 1, Targets.BOTH),
  /** Leave-one-model-out with all its batches, for models measured at several. */
  MODEL_OUT("model-out", 0, 0, Targets.BOTH),
  /** Leave-one-origin-out: hosts differ in driver and libraries. */
  ORIGIN_OUT("origin-out", 0, 1, Targets.MEMORY);

  private static final int FOLDS = 5;
  private static final int UTILPRED_ROWS = 81;
  private static final int SHOTS = 10;

  private final String label;
  private final int leastSeeds;
  private final int boundSeeds;
  private final Targets targets;

  /**
   * @param leastSeeds how many seeds it takes at least: draws of few rows scatter; 0 where the
   *     split is the same whatever the seed
   * @param boundSeeds on how many seeds bounds are evaluated: learning them costs nine times what
   *     estimates cost; 0 where they would repeat those of other protocols
   */
  Protocol(String label, int leastSeeds, int boundSeeds, Targets targets) {
    this.label = label;
    this.leastSeeds = leastSeeds;
    this.boundSeeds = boundSeeds;
    this.targets = targets;
  }

  /** Predicted targets of a protocol. */
  private enum Targets {
    BOTH,
    UTILIZATION,
    MEMORY;

    boolean contain(Target target) {
      return switch (this) {
        case BOTH -> true;
        case UTILIZATION -> target == Target.UTILIZATION;
        case MEMORY -> target == Target.PEAK_MEMORY;
      };
    }
  }

  String label() {
    return label;
  }

  int boundSeeds() {
    return boundSeeds;
  }

  /**
   * Whether figures on GPUMemNet's rows alone stand beside those on all: references were measured
   * there. Transfers between perceptrons and convolutional networks are of no others.
   */
  boolean isReferenced(Target target) {
    return this == RANDOM_5FOLD
        || (target == Target.UTILIZATION && (this == UTILPRED_81 || this == TOPOLOGY_OUT));
  }

  boolean entersFor(Target target) {
    return targets.contain(target);
  }

  /** How many seeds it takes when so many are requested. */
  int seeds(int requested) {
    return leastSeeds == 0 ? 1 : Math.max(leastSeeds, requested);
  }

  /** The splits; none where the rows lack the groups. */
  List<HoldOut> splits(List<ProfileRow> rows, long seed) {
    return switch (this) {
      case RANDOM_5FOLD -> held(rows, Folds.random(rows.size(), FOLDS, seed));
      case UTILPRED_81 -> draw(rows, seed);
      case TOPOLOGY_OUT -> held(rows, Folds.leaveOneOut(rows, Folds::layout));
      case MLP_TO_CNN -> transfer(rows, "mlp", "cnn");
      case CNN_TO_MLP -> transfer(rows, "cnn", "mlp");
      case MLP_TO_CNN_10SHOT -> withShots(transfer(rows, "mlp", "cnn"), seed);
      case CNN_TO_MLP_10SHOT -> withShots(transfer(rows, "cnn", "mlp"), seed);
      case LARGEST_OUT -> largest(rows);
      case FAMILY_OUT -> held(rows, Folds.leaveOneOut(rows, ProfileRow::family));
      case DEVICE_OUT -> held(rows, Folds.leaveOneOut(rows, Folds::device));
      case MODEL_OUT -> models(rows);
      case ORIGIN_OUT -> held(rows, Folds.leaveOneOut(rows, Folds::origin));
    };
  }

  /** The same for judging bounds, which takes many fits a split: several layouts at a time. */
  List<HoldOut> boundSplits(List<ProfileRow> rows, long seed) {
    return this == TOPOLOGY_OUT
        ? held(rows, Folds.grouped(rows, Folds::layout, FOLDS))
        : splits(rows, seed);
  }

  private static List<HoldOut> held(List<ProfileRow> rows, List<Folds.Split> splits) {
    return splits.stream().map(split -> HoldOut.of(rows, split)).toList();
  }

  /** Models of one batch are learned from, never left out. */
  private static List<HoldOut> models(List<ProfileRow> rows) {
    Map<String, Set<Integer>> batches = new HashMap<>();
    rows.forEach(row ->
        batches
            .computeIfAbsent(Folds.model(row), _ -> new HashSet<>())
            .add(row.features().batchSize()));
    Predicate<String> isNamed = model -> batches.getOrDefault(model, Set.of()).size() > 1;
    Function<ProfileRow, String> groupOf =
        row -> isNamed.test(Folds.model(row)) ? Folds.model(row) : "";
    return held(rows, Folds.leaveOneOut(rows, groupOf)).stream()
        .filter(split -> !groupOf.apply(split.test().getFirst()).isEmpty())
        .toList();
  }

  private static List<HoldOut> draw(List<ProfileRow> rows, long seed) {
    if (rows.size() < UTILPRED_ROWS) {
      return List.of();
    }
    List<ProfileRow> shuffled = new ArrayList<>(rows);
    Collections.shuffle(shuffled, new Random(seed));
    int test = UTILPRED_ROWS / FOLDS;
    return List.of(
        new HoldOut(
            new HoldOut.Training(shuffled.subList(test, UTILPRED_ROWS), List.of()),
            shuffled.subList(0, test)));
  }

  private static List<HoldOut> transfer(List<ProfileRow> rows, String from, String to) {
    List<ProfileRow> train = select(rows, row -> row.family().equals(from));
    List<ProfileRow> test = select(rows, row -> row.family().equals(to));
    return train.isEmpty() || test.isEmpty()
        ? List.of()
        : List.of(new HoldOut(new HoldOut.Training(train, List.of()), test));
  }

  private static List<ProfileRow> select(List<ProfileRow> rows, Predicate<ProfileRow> which) {
    return rows.stream().filter(which).toList();
  }

  private static List<HoldOut> withShots(List<HoldOut> transfers, long seed) {
    return transfers.stream()
        .filter(held -> held.test().size() > SHOTS)
        .map(held -> {
          List<ProfileRow> shuffled = new ArrayList<>(held.test());
          Collections.shuffle(shuffled, new Random(seed));
          return new HoldOut(
              new HoldOut.Training(held.training().many(), shuffled.subList(0, SHOTS)),
              shuffled.subList(SHOTS, shuffled.size()));
        })
        .toList();
  }

  private static List<HoldOut> largest(List<ProfileRow> rows) {
    List<ProfileRow> sorted = new ArrayList<>(rows);
    sorted.sort(
        Comparator.comparingDouble((ProfileRow row) -> row.features().flops())
            .thenComparing(ProfileRow::source));
    int train = sorted.size() - sorted.size() / FOLDS;
    return train == sorted.size()
        ? List.of()
        : List.of(
            new HoldOut(
                new HoldOut.Training(sorted.subList(0, train), List.of()),
                sorted.subList(train, sorted.size())));
  }
}
