package dev.cotenant.features;

import dev.cotenant.features.graph.LocalFunction;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What the walks over a model's graphs share. One an extraction, not thread safe. */
final class Extraction {
  /** Nodes visited, functions counted at every call; bounds functions that call each other. */
  private static final int MAX_VISITS = 2_000_000;

  /** Graphs within graphs and calls within calls. */
  static final int MAX_DEPTH = 32;

  private final Map<String, LocalFunction> functions;
  private final InputBinding inputs;
  private final Warnings warnings;
  private final WeightLedger weights = new WeightLedger();
  private final Set<String> calls = new HashSet<>();
  private int visits;

  Extraction(ModelGraph model, InputBinding inputs, Warnings warnings) {
    this.functions = model.functions();
    this.inputs = inputs;
    this.warnings = warnings;
  }

  Map<String, LocalFunction> functions() {
    return functions;
  }

  InputBinding inputs() {
    return inputs;
  }

  Warnings warnings() {
    return warnings;
  }

  WeightLedger weights() {
    return weights;
  }

  /** False once too many nodes were visited. */
  boolean mayVisit() {
    if (visits == MAX_VISITS) {
      warnings.add("stopped after " + MAX_VISITS + " nodes; figures are a lower bound");
    }
    return visits++ < MAX_VISITS;
  }

  /**
   * Whether the budget holds this many more values; a graph that is walked often pays each time.
   */
  boolean mayStore(int values) {
    if (values < MAX_VISITS - visits) {
      visits += values;
      return true;
    }
    visits = Math.max(visits, MAX_VISITS);
    return mayVisit();
  }

  /** False when the function is being evaluated already. */
  boolean enter(LocalFunction function) {
    return calls.add(function.key());
  }

  void leave(LocalFunction function) {
    calls.remove(function.key());
  }
}
