package dev.cotenant.features;

import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.LocalFunction;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.Saturating;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What the walks over a model's graphs share. One an extraction, not thread safe. */
final class Extraction {
  /**
   * Nodes and names of the bodies that are walked, each time; bounds functions that call each
   * other.
   */
  private static final long MAX_WALKED = 2_000_000;

  /** What a walk costs however small the body is, in nodes. */
  private static final int WALK = 16;

  /** Elements of small tensors, and axes of tensors with unusually many, that are retained. */
  private static final long MAX_RETAINED = 4_000_000;

  private static final int USUAL_RANK = 8;

  /** Nodes visited again because a value that goes round a loop changes its shape. */
  private static final int MAX_REPEATS = 500_000;

  /** Graphs within graphs and calls within calls. */
  static final int MAX_DEPTH = 32;

  private final Map<String, LocalFunction> functions;
  private final InputBinding inputs;
  private final GraphWarnings warnings;
  private final WeightLedger weights = new WeightLedger();
  private final Set<String> calls = new HashSet<>();
  private final long opset;
  private long repeats;
  private long walked;
  private long retained;

  Extraction(ModelGraph model, InputBinding inputs, GraphWarnings warnings) {
    this.functions = model.functions();
    this.opset = model.opset();
    this.inputs = inputs;
    this.warnings = warnings;
  }

  Map<String, LocalFunction> functions() {
    return functions;
  }

  long opset() {
    return opset;
  }

  InputBinding inputs() {
    return inputs;
  }

  GraphWarnings warnings() {
    return warnings;
  }

  WeightLedger weights() {
    return weights;
  }

  /**
   * Whether a body may be walked once more; each walk costs what the body holds. The model's own
   * graph is walked once and bounded by what the reader accepts.
   *
   * @param more what comes with the body, such as a function's attributes
   */
  boolean mayWalk(Graph body, long more) {
    walked = Saturating.add(walked, WALK + body.size() + more);
    if (walked <= MAX_WALKED) {
      return true;
    }
    warnings.add(
        "stopped after walking subgraphs and functions of "
            + MAX_WALKED
            + " nodes and names; figures are a lower bound");
    return false;
  }

  /** Whether so much was walked that no body is looked at any more. */
  boolean isSpent() {
    return walked > MAX_WALKED;
  }

  /** A fact to retain: without elements or long shapes once too many of both are retained. */
  TensorFact retained(TensorFact fact) {
    Shape shape = fact.shape();
    KnownNumbers numbers = fact.numbers();
    int axes = shape == null || shape.rank() <= USUAL_RANK ? 0 : shape.rank();
    retained += axes + (numbers == null ? 0 : numbers.size());
    if (retained <= MAX_RETAINED) {
      return fact;
    }
    return axes == 0 ? visible(fact) : visible(fact).withShape(null);
  }

  /** A fact that a rule works with: its elements are dropped once too many are retained. */
  TensorFact visible(TensorFact fact) {
    if (retained <= MAX_RETAINED || fact.numbers() == null) {
      return fact;
    }
    warnings.add("stopped following elements of small tensors after " + MAX_RETAINED);
    return fact.withNumbers(null);
  }

  /** Whether so many nodes may be visited to find the shapes that go round a loop. */
  boolean mayRepeat(long nodes) {
    repeats = Saturating.add(repeats, nodes + 1);
    return repeats <= MAX_REPEATS;
  }

  /** False when the function is being evaluated already. */
  boolean enter(LocalFunction function) {
    return calls.add(function.key());
  }

  void leave(LocalFunction function) {
    calls.remove(function.key());
  }
}
