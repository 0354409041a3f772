package dev.cotenant.features;

import dev.cotenant.features.ControlFlow.Body;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.inference.TensorFact;
import java.util.ArrayList;
import java.util.List;

/**
 * A body that hands values from one iteration to the next. Facts about them must hold at every
 * iteration: an extent that the body changes is unknown.
 *
 * @param extraction bounds how often the body is walked
 * @param graph the body
 * @param offset index of the first carried value among the body's outputs
 * @param walk walks the body with those carried values
 */
record Iteration(Extraction extraction, Graph graph, int offset, Walk walk) {
  private static final int MAX_WALKS = 6;

  @FunctionalInterface
  interface Walk {
    Body with(List<TensorFact> carried);
  }

  /** The body with what holds of the carried values at every iteration. */
  Body settle(List<TensorFact> first) {
    List<TensorFact> carried = first;
    for (int i = 0; i < MAX_WALKS && extraction.mayRepeat(graph.nodes().size()); i++) {
      Body body = walk.with(carried);
      if (isStable(carried, body)) {
        return body;
      }
      carried = joined(carried, body);
    }
    return walk.with(carried.stream().map(each -> TensorFact.unknown(each.type())).toList());
  }

  /** Whether what comes out is no more general than what went in. */
  boolean isStable(List<TensorFact> carried, Body body) {
    List<TensorFact> joined = joined(carried, body);
    for (int i = 0; i < carried.size(); i++) {
      if (!carried.get(i).isLike(joined.get(i))) {
        return false;
      }
    }
    return true;
  }

  List<TensorFact> joined(List<TensorFact> carried, Body body) {
    List<TensorFact> joined = new ArrayList<>(carried.size());
    for (int i = 0; i < carried.size(); i++) {
      int output = i + offset;
      joined.add(
          output < body.outputs().size()
              ? carried.get(i).join(body.outputs().get(output))
              : carried.get(i));
    }
    return joined;
  }
}
