package dev.cotenant.features;

import dev.cotenant.features.ControlFlow.Body;
import dev.cotenant.features.ControlFlow.Outcome;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.SequenceFact;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code SequenceMap}: the body once for every element of the first input, with the elements of the
 * other sequences beside it. The body is walked once if all elements have one shape, since their
 * costs are equal, else once per element.
 */
final class SequenceFlow {
  private final Extraction extraction;
  private final ControlFlow control;

  SequenceFlow(Extraction extraction, ControlFlow control) {
    this.extraction = extraction;
    this.control = control;
  }

  Outcome run(Node node, NodeView view) {
    Graph graph = ControlFlow.graph(node, "body");
    SequenceFact first = view.sequence(0);
    if (graph == null) {
      extraction.warnings().add(node.label() + " lacks a body");
      return Outcome.unknown();
    }
    List<TensorFact> elements = first == null ? null : first.elements();
    Integer length = elements == null ? null : elements.size();
    if (length != null
        && !areAlike(view, length)
        && extraction.mayRepeat((long) graph.nodes().size() * length)) {
      return walkEach(view, graph, length);
    }
    Body body = control.walk(graph, inputs(view, null));
    Shape trips = length == null ? null : Shape.of(length);
    List<TensorFact> outputs =
        body.outputs().stream()
            .map(each -> TensorFact.of(times(ControlFlow.varying(each), length)))
            .toList();
    return new Outcome(body.tally(), control.trips(node, trips), outputs);
  }

  private static SequenceFact times(TensorFact element, @Nullable Integer length) {
    if (length == null || length > SequenceFact.MAX_ELEMENTS) {
      return SequenceFact.ofUnknownLength(element);
    }
    return length == 0
        ? SequenceFact.empty(element.type())
        : SequenceFact.of(Collections.nCopies(length, element));
  }

  /** Whether the elements of every sequence have one shape each. */
  private static boolean areAlike(NodeView view, int length) {
    List<TensorFact> any = inputs(view, null);
    for (int i = 0; i < length; i++) {
      List<TensorFact> inputs = inputs(view, i);
      for (int j = 0; j < inputs.size(); j++) {
        if (!inputs.get(j).isLike(any.get(j))) {
          return false;
        }
      }
    }
    return true;
  }

  /** Elements at one index, or facts common to all elements; tensors are passed to every run. */
  private static List<TensorFact> inputs(NodeView view, @Nullable Integer index) {
    List<TensorFact> inputs = new ArrayList<>();
    for (int i = 0; i < view.inputCount(); i++) {
      TensorFact fact = view.input(i);
      SequenceFact sequence = view.sequence(i);
      List<TensorFact> elements = sequence == null ? null : sequence.elements();
      if (fact == null) {
        inputs.add(TensorFact.unknown(ElementType.UNDEFINED));
      } else if (sequence == null) {
        inputs.add(fact);
      } else if (index == null || elements == null || index >= elements.size()) {
        inputs.add(sequence.common());
      } else {
        inputs.add(elements.get(index));
      }
    }
    return inputs;
  }

  private Outcome walkEach(NodeView view, Graph graph, int length) {
    List<List<TensorFact>> results = new ArrayList<>();
    Tally all = new Tally();
    for (int i = 0; i < length; i++) {
      Body body = control.walk(graph, inputs(view, i));
      if (i == 0) {
        all = body.tally();
      } else {
        all.addRun(body.tally());
      }
      if (extraction.isSpent()) {
        all.addUnknownMatrixNode();
        return new Outcome(all, Amount.ONE, List.of());
      }
      results.add(body.outputs());
    }
    List<TensorFact> outputs = new ArrayList<>();
    for (int i = 0; i < results.getFirst().size(); i++) {
      int output = i;
      outputs.add(
          TensorFact.of(SequenceFact.of(results.stream().map(each -> each.get(output)).toList())));
    }
    return new Outcome(all, Amount.ONE, outputs);
  }
}
