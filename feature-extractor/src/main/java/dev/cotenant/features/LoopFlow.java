package dev.cotenant.features;

import dev.cotenant.features.ControlFlow.Body;
import dev.cotenant.features.ControlFlow.Outcome;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code Loop}. A body that leaves the shapes of what it carries alone costs the trips times one
 * walk. One that changes them is walked trip by trip where the trips are known and few, so that a
 * cache that grows costs what it costs; else what changes is not known.
 */
final class LoopFlow {
  private static final int MAX_UNROLLED = 128;

  /** The trip number and the condition come before what is carried, in and out. */
  private static final int FIRST_INPUT = 2;

  /**
   * Limits from this value on count as none: exporters write the largest integer for loops that
   * only a condition ends.
   */
  private static final long NO_LIMIT = Integer.MAX_VALUE;

  private final Extraction extraction;
  private final ControlFlow control;

  LoopFlow(Extraction extraction, ControlFlow control) {
    this.extraction = extraction;
    this.control = control;
  }

  Outcome run(Node node, NodeView view) {
    Graph graph = ControlFlow.graph(node, "body");
    if (graph == null) {
      extraction.warnings().add(node.label() + " lacks a body");
      return Outcome.unknown();
    }
    List<TensorFact> initial = new ArrayList<>();
    for (int i = FIRST_INPUT; i < view.inputCount(); i++) {
      TensorFact fact = view.input(i);
      initial.add(fact == null ? TensorFact.unknown(ElementType.UNDEFINED) : fact);
    }
    Iteration iteration =
        new Iteration(extraction, graph, 1, carried -> walk(graph, null, carried));
    List<TensorFact> varying = initial.stream().map(ControlFlow::varying).toList();
    Shape trips = trips(view);
    if (trips != null && mayUnroll(graph, trips)) {
      Body body = iteration.walk().with(varying);
      if (!iteration.isStable(varying, body)) {
        return unroll(node, graph, initial, trips.extent(0));
      }
    }
    Body body = iteration.settle(varying);
    return new Outcome(
        body.tally(), control.trips(node, trips), outputs(body, initial.size(), trips));
  }

  private boolean mayUnroll(Graph graph, Shape trips) {
    boolean few = trips.extent(0) > 1 && trips.extent(0) <= MAX_UNROLLED && !trips.scales(0);
    return few && extraction.mayRepeat(graph.nodes().size());
  }

  /** One axis as long as there are trips; null where their number is not known. */
  private static @Nullable Shape trips(NodeView view) {
    KnownNumbers condition = view.single(1);
    if (condition != null && condition.at(0) == 0) {
      return Shape.of(0);
    }
    KnownNumbers given = view.single(0);
    return given == null || given.integer(0) >= NO_LIMIT
        ? null
        : Shape.of(new long[] {Math.max(0, given.integer(0))}, given.scales(0) ? 1 : 0);
  }

  private Body walk(Graph graph, @Nullable Integer trip, List<TensorFact> carried) {
    TensorFact number = TensorFact.of(ElementType.INT64, Shape.SCALAR);
    TensorFact condition = TensorFact.of(ElementType.BOOL, Shape.SCALAR);
    List<TensorFact> inputs = new ArrayList<>();
    inputs.add(trip == null ? number : number.withNumbers(KnownNumbers.of((double) trip)));
    inputs.add(trip == null ? condition : condition.withNumbers(KnownNumbers.of(1.0)));
    inputs.addAll(carried);
    return control.walk(graph, inputs);
  }

  /** What is carried, and the other outputs of every trip along a new first axis. */
  private static List<TensorFact> outputs(Body body, int carried, @Nullable Shape trips) {
    List<TensorFact> outputs = new ArrayList<>();
    for (int i = 1; i < body.outputs().size(); i++) {
      TensorFact fact = body.outputs().get(i);
      outputs.add(i <= carried ? ControlFlow.varying(fact) : ControlFlow.stacked(fact, trips, 0));
    }
    return outputs;
  }

  /** Trip by trip; the layers of the body count once. */
  private Outcome unroll(Node node, Graph graph, List<TensorFact> initial, long trips) {
    Tally all = new Tally();
    List<TensorFact> carried = initial.stream().map(each -> each.asConstant(false)).toList();
    List<TensorFact> others = List.of();
    int trip = 0;
    for (boolean goes = true; goes && trip < trips; trip++) {
      if (!extraction.mayRepeat(graph.nodes().size())) {
        return cut(node, all);
      }
      Body body = walk(graph, trip, carried);
      if (trip == 0) {
        all = body.tally();
      } else {
        all.addRun(body.tally());
      }
      if (extraction.isSpent()) {
        return cut(node, all);
      }
      int end = Math.min(body.outputs().size(), initial.size() + 1);
      List<TensorFact> rest = body.outputs().subList(end, body.outputs().size());
      others = trip == 0 ? rest : joined(others, rest);
      carried =
          body.outputs().subList(Math.min(1, end), end).stream()
              .map(each -> each.asConstant(false))
              .toList();
      KnownNumbers condition =
          body.outputs().isEmpty() ? null : body.outputs().getFirst().numbers();
      goes = condition == null || condition.size() != 1 || condition.at(0) != 0;
    }
    List<TensorFact> outputs = new ArrayList<>(carried);
    for (TensorFact each : others) {
      outputs.add(ControlFlow.stacked(each, Shape.of(trip), 0));
    }
    return new Outcome(all, Amount.ONE, outputs);
  }

  /** What was counted so far. */
  private Outcome cut(Node node, Tally counted) {
    extraction.warnings().add(node.label() + ": not all of its trips are counted");
    counted.addUnknownMatrixNode();
    return new Outcome(counted, Amount.ONE, List.of());
  }

  private static List<TensorFact> joined(List<TensorFact> left, List<TensorFact> right) {
    List<TensorFact> joined = new ArrayList<>(left.size());
    for (int i = 0; i < left.size(); i++) {
      joined.add(left.get(i).join(right.get(i)));
    }
    return joined;
  }
}
