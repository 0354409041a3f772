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
  RANDOM_5FOLD("random-5fold"),
  /**
   * [UtilPred, section 4]: 81 rows drawn from all, four fifths to learn from, no other row seen.
   */
  UTILPRED_81("utilpred-81"),
  /** One layout out at a time: all its rows, of every generator and batch. */
  TOPOLOGY_OUT("topology-out"),
  /** Learn from perceptrons, predict convolutional networks. */
  MLP_TO_CNN("mlp-to-cnn"),
  /** The same with ten of those to calibrate. */
  MLP_TO_CNN_10SHOT("mlp-to-cnn-10shot"),
  /** Learn from convolutional networks, predict perceptrons. */
  CNN_TO_MLP("cnn-to-mlp"),
  /** The same with ten of those to calibrate. */
  CNN_TO_MLP_10SHOT("cnn-to-mlp-10shot"),
  /** Learn from four fifths, predict the fifth with the most FLOPs. */
  LARGEST_OUT("largest-out"),
  /** One family out at a time. */
  FAMILY_OUT("family-out"),
  /** One device out at a time. */
  DEVICE_OUT("device-out"),
  /** One model out at a time with all its batches, of those measured at several. */
  MODEL_OUT("model-out"),
  /** All that one origin measured out at a time: hosts differ in driver and libraries. */
  ORIGIN_OUT("origin-out");

  private static final int FOLDS = 5;
  private static final int UTILPRED_ROWS = 81;
  private static final int SHOTS = 10;
  private static final int DRAWS = 200;
  private static final int SHOT_DRAWS = 8;
  private static final int BOUND_DRAWS = 20;
  private static final int SHOT_BOUND_DRAWS = 2;

  private final String label;

  Protocol(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /** Whether bounds are judged by it; in the others they would repeat these. */
  boolean judgesBounds() {
    return switch (this) {
      case RANDOM_5FOLD,
          UTILPRED_81,
          TOPOLOGY_OUT,
          MLP_TO_CNN,
          MLP_TO_CNN_10SHOT,
          CNN_TO_MLP,
          CNN_TO_MLP_10SHOT,
          FAMILY_OUT,
          DEVICE_OUT,
          ORIGIN_OUT ->
          true;
      case LARGEST_OUT, MODEL_OUT -> false;
    };
  }

  /** Of how many seeds bounds are judged: learning them costs nine times what estimates cost. */
  int boundSeeds() {
    return switch (this) {
      case UTILPRED_81 -> BOUND_DRAWS;
      case MLP_TO_CNN_10SHOT, CNN_TO_MLP_10SHOT -> SHOT_BOUND_DRAWS;
      case RANDOM_5FOLD,
          TOPOLOGY_OUT,
          MLP_TO_CNN,
          CNN_TO_MLP,
          LARGEST_OUT,
          FAMILY_OUT,
          DEVICE_OUT,
          MODEL_OUT,
          ORIGIN_OUT ->
          1;
    };
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
    return this == ORIGIN_OUT
        ? target == Target.PEAK_MEMORY
        : target == Target.UTILIZATION || entersForMemory();
  }

  private boolean entersForMemory() {
    return switch (this) {
      case UTILPRED_81, MLP_TO_CNN_10SHOT, CNN_TO_MLP_10SHOT -> false;
      case RANDOM_5FOLD,
          TOPOLOGY_OUT,
          MLP_TO_CNN,
          CNN_TO_MLP,
          LARGEST_OUT,
          FAMILY_OUT,
          DEVICE_OUT,
          MODEL_OUT,
          ORIGIN_OUT ->
          true;
    };
  }

  /** How many seeds it takes when so many are asked for: draws of few rows scatter. */
  int seeds(int asked) {
    return switch (this) {
      case UTILPRED_81 -> Math.max(DRAWS, asked);
      case MLP_TO_CNN_10SHOT, CNN_TO_MLP_10SHOT -> Math.max(SHOT_DRAWS, asked);
      case MLP_TO_CNN,
          CNN_TO_MLP,
          LARGEST_OUT,
          TOPOLOGY_OUT,
          FAMILY_OUT,
          DEVICE_OUT,
          MODEL_OUT,
          ORIGIN_OUT ->
          1;
      case RANDOM_5FOLD -> asked;
    };
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
