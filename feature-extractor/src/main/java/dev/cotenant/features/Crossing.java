package dev.cotenant.features;

import dev.cotenant.features.execution.DataFlow;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.graph.ValueDeclaration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values that the body of a function shares with the node that calls it, by their places there.
 *
 * @param savedInputs those that training saves because of the body; the caller counts them
 * @param savedOutputs the same of outputs
 * @param views outputs that are inputs under another name, and which
 * @param copies outputs that are earlier outputs under another name, and which
 */
record Crossing(
    BitSet savedInputs,
    BitSet savedOutputs,
    Map<Integer, Integer> views,
    Map<Integer, Integer> copies) {
  private static final int NONE = DataFlow.NONE;

  /** Nothing, as of bodies that are no functions. */
  static Crossing nothing() {
    return new Crossing(new BitSet(), new BitSet(), Map.of(), Map.of());
  }

  /** What a call shares with a body that was visited; what the call does not name is the body's. */
  static Crossing of(Node call, Graph body, DataFlow flow) {
    BitSet inputs = new BitSet();
    Map<Integer, Integer> given = new HashMap<>();
    Map<Integer, Integer> names = new HashMap<>();
    List<ValueDeclaration> formal = body.inputs();
    for (int i = 0; i < Math.min(formal.size(), call.inputCount()); i++) {
      int value = formal.get(i).value();
      if (call.input(i) == InternedNames.NONE || value == InternedNames.NONE) {
        continue;
      }
      names.putIfAbsent(value, i); // nothing in the body may read it
      int buffer = flow.buffer(value);
      if (buffer != NONE) {
        given.putIfAbsent(buffer, i);
        inputs.set(i, flow.leaveSaved(value));
      }
    }
    BitSet outputs = new BitSet();
    Map<Integer, Integer> made = new HashMap<>();
    Map<Integer, Integer> views = new HashMap<>();
    Map<Integer, Integer> copies = new HashMap<>();
    for (int i = 0; i < Math.min(body.outputCount(), call.outputCount()); i++) {
      int value = body.output(i);
      if (call.output(i) == InternedNames.NONE || value == InternedNames.NONE) {
        continue;
      }
      int buffer = flow.buffer(value);
      @Nullable Integer input = names.containsKey(value) ? names.get(value) : given.get(buffer);
      if (input != null) {
        views.put(i, input);
      } else if (buffer != NONE && made.containsKey(buffer)) {
        copies.put(i, made.get(buffer));
      } else if (buffer != NONE) {
        made.put(buffer, i);
        outputs.set(i, flow.leaveSaved(value));
      }
    }
    return new Crossing(inputs, outputs, views, copies);
  }
}
