package dev.cotenant.features;

import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.Attributes;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.LocalFunction;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.graph.ValueDeclaration;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that run graphs of their own: {@code If} counts its dearer branch, {@code Loop}, {@code
 * Scan}, {@code SequenceMap} and the searches of text generation their body times the trips (once,
 * with a warning, when those are not known), and a call of a local function its body.
 */
final class ControlFlow {
  static final Set<String> OPERATORS = operators();
  private final Extraction extraction;
  private final Scope scope;

  ControlFlow(Extraction extraction, Scope scope) {
    this.extraction = extraction;
    this.scope = scope;
  }

  private static Set<String> operators() {
    Set<String> keys = new TreeSet<>(GenerationFlow.OPERATORS);
    keys.addAll(List.of("If", "Loop", "Scan", "SequenceMap"));
    return Set.copyOf(keys);
  }

  static boolean handles(Node node) {
    return OPERATORS.contains(node.key());
  }

  /** A subgraph that was walked. */
  record Body(Tally tally, List<TensorFact> outputs) {
    /** A body without a walk. */
    static Body unknown() {
      Tally tally = new Tally();
      tally.addUnknownMatrixNode();
      return new Body(tally, List.of());
    }
  }

  /**
   * What a control node or a call comes to.
   *
   * @param body totals of its subgraph per run
   * @param times how often it runs
   * @param outputs facts about its outputs
   * @param shared values that are the node's as well
   */
  record Outcome(Tally body, Amount times, List<TensorFact> outputs, Crossing shared) {
    Outcome(Tally body, Amount times, List<TensorFact> outputs) {
      this(body, times, outputs, Crossing.nothing());
    }

    /** Outcome of a skipped subgraph, which lowers the known share. */
    static Outcome unknown() {
      return new Outcome(Body.unknown().tally, Amount.ONE, List.of());
    }
  }

  /** Walks the subgraphs of a control node. */
  Outcome run(Node node, NodeView view) {
    if (scope.depth() >= Extraction.MAX_DEPTH) {
      extraction.warnings().add(node.label() + " is nested too deep and was not counted");
      return Outcome.unknown();
    }
    return switch (node.operator()) {
      case "If" -> branch(node, view);
      case "Loop" -> new LoopFlow(extraction, this).run(node, view);
      case "Scan" -> scan(node, view);
      case "SequenceMap" -> new SequenceFlow(extraction, this).run(node, view);
      default -> new GenerationFlow(extraction, this).run(node, view);
    };
  }

  /** Walks the body of the function that a node calls. */
  Outcome call(LocalFunction function, Node node, NodeView view) {
    if (scope.depth() >= Extraction.MAX_DEPTH || !extraction.enter(function)) {
      extraction.warnings().add("function " + function.key() + " calls itself or is too deep");
      return Outcome.unknown();
    }
    if (!extraction.mayWalk(function.body(), function.defaults().size())) {
      extraction.leave(function);
      return Outcome.unknown();
    }
    Attributes attributes = function.defaults().with(node.attributes());
    Scope inner = scope.call(function.body(), attributes);
    List<ValueDeclaration> formal = function.body().inputs();
    for (int i = 0; i < formal.size(); i++) {
      TensorFact argument = view.input(i);
      if (argument != null) {
        inner.put(formal.get(i).value(), argument);
      }
    }
    GraphWalk walk = new GraphWalk(extraction, function.body(), inner);
    Crossing shared = walk.visitBodyOf(node);
    Tally tally = walk.finish();
    extraction.leave(function);
    return new Outcome(tally, Amount.ONE, walk.outputs(), shared);
  }

  /** A body whose inputs are these, in order; not looked at once too much was walked. */
  Body walk(Graph graph, List<TensorFact> inputs) {
    return extraction.mayWalk(graph, 0) ? walked(graph, bound(graph, inputs)) : Body.unknown();
  }

  private Body walked(Graph graph, Scope inner) {
    GraphWalk walk = new GraphWalk(extraction, graph, inner);
    Tally tally = walk.run();
    return new Body(tally, walk.outputs());
  }

  private Outcome branch(Node node, NodeView view) {
    Graph yes = graph(node, "then_branch");
    Graph no = graph(node, "else_branch");
    if (yes == null || no == null) {
      extraction.warnings().add(node.label() + " lacks a branch");
      return Outcome.unknown();
    }
    Body then = walk(yes, List.of());
    Body otherwise = walk(no, List.of());
    boolean thenIsDearer = !otherwise.tally.isDearerThan(then.tally);
    Body dearer = thenIsDearer ? then : otherwise;
    Body other = thenIsDearer ? otherwise : then;
    KnownNumbers condition = view.single(0);
    boolean dearerIsTaken = condition != null && thenIsDearer == (condition.at(0) != 0);
    if (!dearerIsTaken && other.tally.coverage() < 1) {
      // What is not known of the other branch may make it the dearer one.
      dearer.tally.addUnknownMatrixNode();
    }
    List<TensorFact> outputs =
        condition == null
            ? chosen(dearer.outputs, other.outputs)
            : (dearerIsTaken ? dearer : other).outputs;
    return new Outcome(dearer.tally, Amount.ONE, outputs);
  }

  /** Tensors are those of the branch that counts; of a sequence only what holds of both. */
  private static List<TensorFact> chosen(List<TensorFact> counted, List<TensorFact> other) {
    List<TensorFact> outputs = new ArrayList<>(counted);
    for (int i = 0; i < Math.min(counted.size(), other.size()); i++) {
      if (counted.get(i).sequence() != null) {
        outputs.set(i, counted.get(i).join(other.get(i)));
      }
    }
    return outputs;
  }

  /** As many of a tensor as {@code steps} says, along a new axis. */
  static TensorFact stacked(TensorFact each, @Nullable Shape steps, long axis) {
    Shape shape = each.shape();
    if (shape == null || shape.rank() > 32 || axis < -shape.rank() - 1 || axis > shape.rank()) {
      return TensorFact.unknown(each.type());
    }
    Shape added = steps == null ? Shape.of(Shape.UNKNOWN) : steps;
    return TensorFact.of(each.type(), shape.insert(axis, added));
  }

  /** Opset 8 passes the lengths first and puts a batch axis before all others. */
  private Outcome scan(Node node, NodeView view) {
    Graph graph = graph(node, "body");
    int sequences = Math.clamp(view.integer("num_scan_inputs", 0), 0, view.inputCount());
    int batched = graph != null && graph.inputs().size() == view.inputCount() - 1 ? 1 : 0;
    int states = view.inputCount() - batched - sequences;
    if (graph == null || sequences == 0 || states < 0) {
      extraction.warnings().add(node.label() + " lacks a body or a sequence");
      return Outcome.unknown();
    }
    List<TensorFact> given = new ArrayList<>();
    for (int i = 0; i < graph.inputs().size() && i < states + sequences; i++) {
      TensorFact fact = varying(view.input(i + batched));
      fact = batched == 0 ? fact : slice(fact, 0);
      long axis = view.integerAt("scan_input_axes", i - Math.min(i, states), 0);
      given.add(i < states ? fact : slice(fact, axis));
    }
    Body body = settled(graph, given, Math.min(states, given.size()));
    Shape first = view.shape(states + batched);
    Shape batch = batched == 0 ? null : axis(first, 0);
    Shape steps = axis(first, view.integerAt("scan_input_axes", 0, 0) + batched);
    Amount samples = batched == 0 ? Amount.ONE : trips(node, batch);
    List<TensorFact> outputs = new ArrayList<>();
    for (int i = 0; i < body.outputs.size(); i++) {
      TensorFact fact = varying(body.outputs.get(i));
      long axis = view.integerAt("scan_output_axes", i - Math.min(i, states), 0);
      fact = i < states ? fact : stacked(fact, steps, axis);
      outputs.add(batched == 0 ? fact : stacked(fact, batch, 0));
    }
    return new Outcome(body.tally, samples.times(trips(node, steps)), outputs);
  }

  /** The body of a scan, the first of whose inputs are the states. */
  private Body settled(Graph graph, List<TensorFact> given, int states) {
    Iteration iteration =
        new Iteration(
            extraction,
            graph,
            0,
            facts -> {
              List<TensorFact> all = new ArrayList<>(facts);
              all.addAll(given.subList(states, given.size()));
              return walk(graph, all);
            });
    return iteration.settle(given.subList(0, states));
  }

  private Scope bound(Graph graph, List<TensorFact> facts) {
    Scope inner = scope.inner(graph);
    for (int i = 0; i < Math.min(facts.size(), graph.inputs().size()); i++) {
      inner.put(graph.inputs().get(i).value(), facts.get(i));
    }
    return inner;
  }

  /** Facts about an input that hold at every iteration. */
  static TensorFact varying(@Nullable TensorFact initial) {
    return initial == null ? TensorFact.unknown(ElementType.UNDEFINED) : initial.asVarying();
  }

  /** One axis of a shape as a shape of its own; null where its extent is not known. */
  private static @Nullable Shape axis(@Nullable Shape shape, long axis) {
    if (shape == null || axis < -shape.rank() || axis >= shape.rank()) {
      return null;
    }
    return shape.extent(shape.axis(axis)) < 0 ? null : shape.only(axis);
  }

  Amount trips(Node node, @Nullable Shape steps) {
    if (steps != null) {
      return Amount.elements(steps);
    }
    extraction.warnings().add(node.label() + ": trips are not known, its body counts once");
    return Amount.ONE;
  }

  private static TensorFact slice(TensorFact sequence, long axis) {
    Shape shape = sequence.shape();
    if (shape == null || axis < -shape.rank() || axis >= shape.rank()) {
      return sequence.withShape(null);
    }
    return sequence.withShape(shape.without(shape.axis(axis)));
  }

  static @Nullable Graph graph(Node node, String name) {
    Attribute attribute = node.attributes().find(name);
    return attribute == null ? null : attribute.graph();
  }
}
