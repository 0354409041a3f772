package dev.cotenant.features;

import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.LocalFunction;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Saturating;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that run graphs of their own: {@code If} counts its dearer branch, {@code Loop} and {@code
 * Scan} their body times the trips (once, with a warning, when those are not known), and a call of
 * a local function its body.
 */
final class ControlFlow {
  private static final Set<String> OPERATORS = Set.of("If", "Loop", "Scan");
  private final Extraction extraction;
  private final Scope scope;

  ControlFlow(Extraction extraction, Scope scope) {
    this.extraction = extraction;
    this.scope = scope;
  }

  static boolean handles(Node node) {
    return node.domain().isEmpty() && OPERATORS.contains(node.operator());
  }

  private record Body(Tally tally, List<TensorFact> outputs) {}

  /** Counts a control node into {@code tally}; returns what is known of its outputs. */
  List<TensorFact> run(Node node, NodeView view, Tally tally, long alive) {
    if (scope.depth() >= Extraction.MAX_DEPTH) {
      extraction.warnings().add(node.label() + " is nested too deep and was not counted");
      return List.of();
    }
    return switch (node.operator()) {
      case "If" -> branch(node, view, tally, alive);
      case "Loop" -> loop(node, view, tally, alive);
      default -> scan(node, view, tally, alive);
    };
  }

  /** Counts a call into {@code tally}; returns what is known of its outputs. */
  List<TensorFact> call(LocalFunction function, Node node, NodeView view, Tally tally, long alive) {
    if (scope.depth() >= Extraction.MAX_DEPTH || !extraction.enter(function)) {
      extraction.warnings().add("function " + function.key() + " calls itself or is too deep");
      return List.of();
    }
    Map<String, Attribute> attributes = new HashMap<>(function.defaults());
    attributes.putAll(node.attributes());
    Scope inner = scope.call(attributes);
    for (int i = 0; i < function.inputs().size(); i++) {
      TensorFact argument = view.input(i);
      if (argument != null) {
        inner.put(function.inputs().get(i), argument);
      }
    }
    Body body = walk(function.body(), inner);
    extraction.leave(function);
    add(body, 1, tally, alive);
    return body.outputs;
  }

  private Body walk(Graph graph, Scope inner) {
    GraphWalk walk = new GraphWalk(extraction, graph, inner);
    Tally tally = walk.run();
    return new Body(tally, walk.outputs());
  }

  private static void add(Body body, long times, Tally tally, long alive) {
    tally.addBody(body.tally, times);
    tally.raisePeak(Saturating.add(alive, body.tally.peakBytes()));
  }

  private List<TensorFact> branch(Node node, NodeView view, Tally tally, long alive) {
    Graph yes = graph(node, "then_branch");
    Graph no = graph(node, "else_branch");
    if (yes == null || no == null) {
      extraction.warnings().add(node.label() + " lacks a branch");
      return List.of();
    }
    Body then = walk(yes, scope.inner());
    Body otherwise = walk(no, scope.inner());
    boolean thenIsDearer = !otherwise.tally.isDearerThan(then.tally);
    add(thenIsDearer ? then : otherwise, 1, tally, alive);
    KnownNumbers condition = view.single(0);
    boolean taken = condition != null ? condition.at(0) != 0 : thenIsDearer;
    return taken ? then.outputs : otherwise.outputs;
  }

  private List<TensorFact> loop(Node node, NodeView view, Tally tally, long alive) {
    Graph graph = graph(node, "body");
    if (graph == null) {
      extraction.warnings().add(node.label() + " lacks a body");
      return List.of();
    }
    Scope inner = scope.inner();
    for (int i = 0; i < graph.inputs().size(); i++) {
      String name = graph.inputs().get(i).name();
      inner.put(name, i < 2 ? counter(i) : varying(view.input(i)));
    }
    Body body = walk(graph, inner);
    KnownNumbers given = view.single(0);
    long trips = given != null ? Math.max(0, given.integer(0)) : 1;
    if (given == null) {
      extraction.warnings().add(node.label() + ": trips are not known, its body counts once");
    }
    add(body, trips, tally, alive);
    int carried = Math.max(0, view.inputCount() - 2);
    return loopOutputs(body, carried, given != null ? trips : Shape.UNKNOWN);
  }

  /** The trip number and the condition. */
  private static TensorFact counter(int index) {
    return TensorFact.of(index == 0 ? ElementType.INT64 : ElementType.BOOL, Shape.SCALAR);
  }

  private static TensorFact varying(@Nullable TensorFact initial) {
    return initial == null
        ? TensorFact.unknown(ElementType.UNDEFINED)
        : TensorFact.of(initial.type(), initial.shape());
  }

  private static List<TensorFact> loopOutputs(Body body, int carried, long trips) {
    List<TensorFact> outputs = new ArrayList<>();
    for (int i = 1; i < body.outputs.size(); i++) {
      TensorFact fact = body.outputs.get(i);
      outputs.add(i <= carried ? varying(fact) : stacked(fact, trips, false));
    }
    return outputs;
  }

  private static TensorFact stacked(TensorFact each, long trips, boolean scales) {
    Shape shape = each.shape();
    return TensorFact.of(
        each.type(),
        shape == null || shape.rank() > 32
            ? null
            : new Shape.Builder(shape.rank() + 1)
                .add(trips, scales)
                .addAll(shape, 0, shape.rank())
                .build());
  }

  private List<TensorFact> scan(Node node, NodeView view, Tally tally, long alive) {
    Graph graph = graph(node, "body");
    int sequences = Math.clamp(view.integer("num_scan_inputs", 0), 0, view.inputCount());
    int states = view.inputCount() - sequences;
    if (graph == null || sequences == 0) {
      extraction.warnings().add(node.label() + " lacks a body or a sequence");
      return List.of();
    }
    Scope inner = scope.inner();
    for (int i = 0; i < graph.inputs().size() && i < view.inputCount(); i++) {
      TensorFact fact = varying(view.input(i));
      inner.put(graph.inputs().get(i).name(), i < states ? fact : slice(fact));
    }
    Body body = walk(graph, inner);
    Shape sequence = sequence(view.shape(states));
    add(body, trips(node, sequence), tally, alive);
    long stackedTrips = sequence == null ? Shape.UNKNOWN : sequence.extent(0);
    boolean scales = sequence != null && sequence.scales(0);
    List<TensorFact> outputs = new ArrayList<>();
    for (int i = 0; i < body.outputs.size(); i++) {
      TensorFact fact = body.outputs.get(i);
      outputs.add(i < states ? varying(fact) : stacked(fact, stackedTrips, scales));
    }
    return outputs;
  }

  private static @Nullable Shape sequence(@Nullable Shape shape) {
    return shape == null || shape.rank() == 0 || shape.extent(0) < 0 ? null : shape;
  }

  private long trips(Node node, @Nullable Shape sequence) {
    if (sequence != null) {
      return extraction.scale().extent(sequence, 0);
    }
    extraction.warnings().add(node.label() + ": trips are not known, its body counts once");
    return 1;
  }

  private static TensorFact slice(TensorFact sequence) {
    Shape shape = sequence.shape();
    return sequence.withShape(
        shape == null || shape.rank() == 0
            ? null
            : new Shape.Builder(shape.rank()).addAll(shape, 1, shape.rank()).build());
  }

  private static @Nullable Graph graph(Node node, String name) {
    Attribute attribute = node.attributes().get(name);
    return attribute == null ? null : attribute.graph();
  }
}
