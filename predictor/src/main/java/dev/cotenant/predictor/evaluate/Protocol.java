package dev.cotenant.predictor.evaluate;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.train.Folds;
import java.util.List;
import java.util.stream.IntStream;

/** How rows are held out. */
enum Protocol {
  /** Five random folds; only the seed decides them. */
  RANDOM_5FOLD("random-5fold"),
  /** One layout out at a time: all its rows, of every generator and batch. */
  TOPOLOGY_OUT("topology-out"),
  /** Learn from perceptrons, predict convolutional networks. */
  MLP_TO_CNN("mlp-to-cnn"),
  /** Learn from convolutional networks, predict perceptrons. */
  CNN_TO_MLP("cnn-to-mlp"),
  /** One family out at a time. */
  FAMILY_OUT("family-out"),
  /** One device out at a time. */
  DEVICE_OUT("device-out");

  private static final int FOLDS = 5;

  private final String label;

  Protocol(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /** The splits; none where the rows lack the groups. */
  List<Folds.Split> splits(List<ProfileRow> rows, long seed) {
    return switch (this) {
      case RANDOM_5FOLD -> Folds.random(rows.size(), FOLDS, seed);
      case TOPOLOGY_OUT -> Folds.leaveOneOut(rows, Folds::layout);
      case MLP_TO_CNN -> transfer(rows, "mlp", "cnn");
      case CNN_TO_MLP -> transfer(rows, "cnn", "mlp");
      case FAMILY_OUT -> Folds.leaveOneOut(rows, ProfileRow::family);
      case DEVICE_OUT -> Folds.leaveOneOut(rows, Folds::device);
    };
  }

  private static List<Folds.Split> transfer(List<ProfileRow> rows, String from, String to) {
    int[] train = ofFamily(rows, from);
    int[] test = ofFamily(rows, to);
    return train.length == 0 || test.length == 0
        ? List.of()
        : List.of(new Folds.Split(train, test));
  }

  private static int[] ofFamily(List<ProfileRow> rows, String family) {
    return IntStream.range(0, rows.size())
        .filter(row -> rows.get(row).family().equals(family))
        .toArray();
  }
}
