package dev.cotenant.evaluation.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The trees of a model file that LightGBM wrote, without categories and missing values, which our
 * rows do not have. Immutable.
 */
final class LightGbmTrees {
  private static final String TREE = "Tree=";
  private static final String END = "end of trees";

  private final List<Tree> trees;

  private LightGbmTrees(List<Tree> trees) {
    this.trees = List.copyOf(trees);
  }

  /** Reads the text form: a block of {@code key=values} lines for each tree. */
  static LightGbmTrees parse(String model) {
    List<Tree> trees = new ArrayList<>();
    Map<String, String> fields = new HashMap<>();
    boolean isInTree = false;
    for (String line : model.lines().toList()) {
      boolean ends = line.startsWith(END);
      if (line.startsWith(TREE) || ends) {
        if (isInTree) {
          trees.add(Tree.of(fields));
        }
        fields.clear();
        isInTree = true;
      }
      if (ends) {
        break;
      }
      int equals = line.indexOf('=');
      if (equals > 0) {
        fields.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    return new LightGbmTrees(trees);
  }

  double predict(double[] vector) {
    double sum = 0;
    for (Tree tree : trees) {
      sum += tree.predict(vector);
    }
    return sum;
  }

  /** Nodes count up from the root 0; a child below 0 is the leaf of the number's complement. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  private record Tree(
      int[] features, double[] thresholds, int[] left, int[] right, double[] leaves) {
    static Tree of(Map<String, String> fields) {
      return new Tree(
          integers(fields.getOrDefault("split_feature", "")),
          numbers(fields.getOrDefault("threshold", "")),
          integers(fields.getOrDefault("left_child", "")),
          integers(fields.getOrDefault("right_child", "")),
          numbers(fields.getOrDefault("leaf_value", "")));
    }

    double predict(double[] vector) {
      if (features.length == 0) {
        return leaves[0];
      }
      int node = 0;
      while (node >= 0) {
        node = vector[features[node]] <= thresholds[node] ? left[node] : right[node];
      }
      return leaves[~node];
    }

    private static int[] integers(String values) {
      return words(values).mapToInt(Integer::parseInt).toArray();
    }

    private static double[] numbers(String values) {
      return words(values).mapToDouble(Double::parseDouble).toArray();
    }

    private static Stream<String> words(String values) {
      return Arrays.stream(values.split(" ")).filter(word -> !word.isEmpty());
    }
  }
}
