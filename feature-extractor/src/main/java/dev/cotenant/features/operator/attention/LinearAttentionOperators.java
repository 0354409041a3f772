package dev.cotenant.features.operator.attention;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.WorkRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Attention as a recurrence over a state of key size × value size a head. A token writes the outer
 * product of its key and value to the state of every key head and reads the state by its query; the
 * delta rules read it by the key as well [ONNX Runtime, LinearAttention].
 */
public final class LinearAttentionOperators {
  private static final LayerCounts NONE = new LayerCounts(0, 0, 0, 0);

  private LinearAttentionOperators() {}

  private record State(Shape tokens, long queryHeads, long keyHeads, long keySize, long valueSize) {
    long readers() {
      return Math.max(queryHeads, keyHeads);
    }
  }

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.matrix(
            LinearAttentionOperators::setSideBySide,
            WorkRule.of(WorkClass.ATTENTION, node -> macs(node, sideBySide(node))),
            NONE),
        MICROSOFT + "LinearAttention");
    table.add(
        Operator.matrix(
            LinearAttentionOperators::setByHead,
            WorkRule.of(WorkClass.ATTENTION, node -> macs(node, byHead(node))),
            NONE),
        MICROSOFT + "GatedDeltaNet");
  }

  private static Amount macs(NodeView node, @Nullable State state) {
    if (state == null) {
      return Amount.UNKNOWN;
    }
    String rule = node.text("update_rule");
    long touches = rule.equals("linear") || rule.equals("gated") ? 1 : 2;
    return Amount.elements(state.tokens)
        .times(Extents.plus(Extents.times(touches, state.keyHeads), state.readers()))
        .times(state.keySize)
        .times(state.valueSize);
  }

  /** Heads side by side: (batch, length, heads × size). */
  private static @Nullable State sideBySide(NodeView node) {
    Shape query = node.shape(0);
    Shape value = node.shape(2);
    if (query == null || value == null) {
      return null;
    }
    long heads = node.integer("q_num_heads", 1);
    long keyHeads = node.integer("kv_num_heads", 1);
    return new State(
        query.slice(0, 2),
        heads,
        keyHeads,
        Extents.over(query.extent(2), heads),
        Extents.over(value.extent(2), keyHeads));
  }

  private static void setSideBySide(NodeView node) {
    State state = sideBySide(node);
    if (state == null) {
      return;
    }
    long hidden = Extents.times(state.readers(), state.valueSize);
    node.set(0, state.tokens.slice(0, 2).append(hidden));
    long window = node.integer("state_window", 0);
    Shape present =
        (window > 0 ? Shape.of(window) : Shape.SCALAR)
            .append(state.tokens.only(0))
            .append(state.keyHeads, state.keySize, state.valueSize);
    node.set(1, node.type(node.has(3) ? 3 : 0), present);
  }

  /** Heads as an axis, before it one or two of tokens. */
  private static @Nullable State byHead(NodeView node) {
    Shape query = node.shape(0);
    Shape value = node.shape(2);
    if (query == null || value == null) {
      return null;
    }
    int axes = query.rank() - 2;
    return new State(
        query.slice(0, axes),
        query.extent(-2),
        value.extent(-2),
        query.extent(-1),
        value.extent(-1));
  }

  private static void setByHead(NodeView node) {
    State state = byHead(node);
    Shape key = node.shape(1);
    if (state == null) {
      return;
    }
    node.set(0, state.tokens.append(state.readers(), state.valueSize));
    Shape batch = batch(node, state);
    node.set(1, ElementType.FLOAT, batch.append(state.keyHeads, state.valueSize, state.keySize));
    long keys = key == null ? Shape.UNKNOWN : Extents.times(key.extent(-2), key.extent(-1));
    long update =
        Extents.times(
            Math.max(0, node.integer("state_update_capacity", 0)),
            Extents.plus(state.keyHeads, keys, Extents.times(state.keyHeads, state.valueSize)));
    node.set(2, ElementType.FLOAT, batch.append(update));
  }

  /** From the state before, the prefix sums of the lengths, or the first of two token axes. */
  private static Shape batch(NodeView node, State state) {
    Shape initial = node.shape(6);
    Shape lengths = node.shape(3);
    if (initial != null) {
      return initial.only(0);
    }
    if (lengths != null) {
      return Shape.of(Math.max(Shape.UNKNOWN, lengths.extent(0) - 1));
    }
    return state.tokens.rank() == 2 ? state.tokens.only(0) : Shape.of(Shape.UNKNOWN);
  }
}
