package dev.cotenant.plugin;

import dev.cotenant.plugin.GraphGuard.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;

/** The allowed operators: one row in, one row out. */
enum RowOperator {
  /** As wide as its first operand; others, such as limits of Clip, are constant rows. */
  UNARY(
      "Identity Cast Relu Sigmoid Tanh Exp Log Sqrt Abs Neg Reciprocal Softplus LeakyRelu Elu Clip"
          + " Floor Ceil ai.onnx.ml.Normalizer") {
    @Override
    long width(Node node, List<Tensor> operands) {
      requireRow(node, operands.getFirst());
      operands
          .subList(1, operands.size())
          .forEach(limit -> node.require(limit.rows() * limit.width() == 1, "limits are scalars"));
      node.require(
          !node.operator().equals("Cast") || CAST_TO.contains(node.number("to", 0)),
          "it may cast to float, double, int32 and int64");
      return operands.getFirst().width();
    }
  },
  /** Broadcasts rows. */
  BINARY("Add Sub Mul Div Pow Max Min") {
    @Override
    long width(Node node, List<Tensor> operands) {
      long width = operands.stream().mapToLong(Tensor::width).max().orElse(0);
      for (Tensor operand : operands) {
        node.require(operand.rows() == 1, "a constant operand must have one row");
        node.require(
            operand.width() == 1 || operand.width() == width, "operands do not fit each other");
      }
      node.require(!operands.stream().allMatch(Tensor::isConstant), "all operands are constant");
      return width;
    }
  },
  /** A row times a constant matrix. */
  PRODUCT("MatMul Gemm") {
    @Override
    long width(Node node, List<Tensor> operands) {
      requireRow(node, operands.getFirst());
      node.require(operands.size() > 1 && operands.get(1).isConstant(), "needs constant weights");
      node.require(node.number("transA", 0) == 0, "transA must be 0");
      Tensor weights = operands.get(1);
      boolean isTurned = node.operator().equals("Gemm") && node.number("transB", 0) != 0;
      long rows = isTurned ? weights.width() : weights.rows();
      long width = isTurned ? weights.rows() : weights.width();
      node.require(rows == operands.getFirst().width(), "the weights do not fit the row");
      for (Tensor bias : operands.subList(2, operands.size())) {
        node.require(
            bias.rows() == 1 && (bias.width() == 1 || bias.width() == width),
            "the bias does not fit the result");
      }
      return width;
    }
  },
  SCALER("ai.onnx.ml.Scaler") {
    @Override
    long width(Node node, List<Tensor> operands) {
      requireRow(node, operands.getFirst());
      long width = operands.getFirst().width();
      for (String attribute : List.of("offset", "scale")) {
        long count = node.floats(attribute);
        node.require(count == 1 || count == width, attribute + " does not fit the row");
      }
      return width;
    }
  },
  LINEAR("ai.onnx.ml.LinearRegressor") {
    @Override
    long width(Node node, List<Tensor> operands) {
      requireRow(node, operands.getFirst());
      long targets = requireTargets(node, "targets", "intercepts");
      node.require(
          node.floats("coefficients") == targets * operands.getFirst().width(),
          "coefficients do not fit the row");
      return targets;
    }
  },
  TREES("ai.onnx.ml.TreeEnsembleRegressor") {
    @Override
    long width(Node node, List<Tensor> operands) {
      requireRow(node, operands.getFirst());
      long targets = requireTargets(node, "n_targets", "base_values");
      requireBelow(node, "nodes_featureids", operands.getFirst().width());
      requireBelow(node, "target_ids", targets);
      requireTrees(node);
      return targets;
    }
  };

  private static final List<Long> CAST_TO = List.of(1L, 6L, 7L, 11L);

  /** ONNX Runtime follows a branch by recursion. */
  private static final int MAX_DEPTH = 512;

  private static final Map<String, RowOperator> BY_NAME = new HashMap<>();

  static {
    for (RowOperator operator : values()) {
      for (String name : operator.names.split(" ", -1)) {
        BY_NAME.put(name, operator);
      }
    }
  }

  private final String names;

  RowOperator(String names) {
    this.names = names;
  }

  /** Width of the result; refuses what does not fit. */
  abstract long width(Node node, List<Tensor> operands);

  /** That of a node. */
  static RowOperator require(Node node) {
    RowOperator found = BY_NAME.get(node.operator());
    if (found == null) {
      throw node.refused("allowed are " + String.join(", ", new TreeSet<>(BY_NAME.keySet())));
    }
    return found;
  }

  private static void requireRow(Node node, Tensor operand) {
    node.require(!operand.isConstant(), "its operand is constant");
  }

  private static long requireTargets(Node node, String count, String each) {
    long targets = node.number(count, 1);
    long values = node.floats(each);
    node.require(targets > 0 && targets <= GraphGuard.MAX_WIDTH, count + " is out of range");
    node.require(values == 0 || values == targets, each + " does not fit " + count);
    return targets;
  }

  private static void requireBelow(Node node, String attribute, long end) {
    node.require(
        LongStream.of(node.numbers(attribute)).allMatch(id -> id >= 0 && id < end),
        attribute + " is out of range");
  }

  /** A node of a tree. */
  private record TreeNode(long tree, long id) {}

  /** Children come after their parent, each once: no cycles, and a depth that is bounded. */
  private static void requireTrees(Node node) {
    long[] trees = node.numbers("nodes_treeids");
    long[] ids = node.numbers("nodes_nodeids");
    long[] yes = node.numbers("nodes_truenodeids");
    long[] no = node.numbers("nodes_falsenodeids");
    List<String> modes = node.texts("nodes_modes");
    boolean isEven =
        LongStream.of(
                ids.length,
                yes.length,
                no.length,
                modes.size(),
                node.numbers("nodes_featureids").length,
                node.floats("nodes_values"))
            .allMatch(length -> length == trees.length);
    node.require(isEven, "attributes nodes_… must be equally long");
    Map<TreeNode, Integer> places = new HashMap<>();
    for (int i = 0; i < trees.length; i++) {
      Integer before = places.put(new TreeNode(trees[i], ids[i]), i);
      node.require(before == null, "a tree has a node twice");
    }
    requireTargetNodes(node, places.keySet());
    int[] depths = new int[trees.length];
    for (int i = 0; i < trees.length; i++) {
      for (long child : modes.get(i).equals("LEAF") ? new long[0] : new long[] {yes[i], no[i]}) {
        int place = places.getOrDefault(new TreeNode(trees[i], child), -1);
        node.require(
            place > i && depths[place] == 0 && depths[i] < MAX_DEPTH,
            "a node must have two later nodes of its tree of its own, at most 512 deep");
        depths[place] = depths[i] + 1;
      }
    }
  }

  private static void requireTargetNodes(Node node, Set<TreeNode> nodes) {
    long[] trees = node.numbers("target_treeids");
    long[] ids = node.numbers("target_nodeids");
    node.require(
        trees.length == ids.length
            && trees.length == node.numbers("target_ids").length
            && trees.length == node.floats("target_weights"),
        "attributes target_… must be equally long");
    for (int i = 0; i < trees.length; i++) {
      node.require(nodes.contains(new TreeNode(trees[i], ids[i])), "a target has no node");
    }
  }
}
