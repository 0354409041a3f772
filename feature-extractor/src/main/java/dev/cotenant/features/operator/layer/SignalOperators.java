package dev.cotenant.features.operator.layer;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;
import org.jspecify.annotations.Nullable;

/** Windows and Fourier transforms. */
public final class SignalOperators {
  private SignalOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.movement(SignalOperators::setWindow),
        "BlackmanWindow",
        "HammingWindow",
        "HannWindow");
    table.add(Operator.movement(SignalOperators::setMelWeights), "MelWeightMatrix");
    table.add(Operator.reduction(ShapeRule.of(SignalOperators::setTransformed)), "DFT");
    table.add(Operator.reduction(ShapeRule.of(SignalOperators::setShortTransforms)), "STFT");
    table.add(
        Operator.reduction(ShapeRule.of(SignalOperators::setFrequencies)), MICROSOFT + "Rfft");
    table.add(Operator.reduction(ShapeRule.of(SignalOperators::setSignal)), MICROSOFT + "Irfft");
  }

  private static ElementType outputType(NodeView node) {
    return ElementType.of(node.integer("output_datatype", ElementType.FLOAT.number()));
  }

  private static void setWindow(NodeView node) {
    node.set(0, outputType(node), Shape.of(extent(node.single(0))));
  }

  private static void setMelWeights(NodeView node) {
    node.set(
        0, outputType(node), Shape.of(oneSided(extent(node.single(1))), extent(node.single(0))));
  }

  private static long extent(@Nullable KnownNumbers number) {
    long extent = number == null ? Shape.UNKNOWN : number.integer(0);
    if (number != null && extent < 0) {
      throw new ShapeMismatch("an extent of " + extent);
    }
    return extent;
  }

  /** Frequencies of a real signal that are not mirrored by another. */
  private static long oneSided(long extent) {
    return extent == Shape.UNKNOWN ? Shape.UNKNOWN : extent / 2 + 1;
  }

  /** A real signal on the last axis becomes one-sided frequencies of two parts. */
  private static void setFrequencies(NodeView node, Shape data) {
    int last = data.axis(-1);
    Shape halved = data.with(last, oneSided(data.extent(last)), data.scales(last));
    node.set(0, halved.slice(0, last + 1).append(2));
  }

  private static void setSignal(NodeView node, Shape data) {
    int last = data.axis(-2);
    long extent = data.extent(last);
    long whole = extent < 1 ? extent : Extents.times(2, extent - 1);
    Shape.Builder result = new Shape.Builder(last + 1).addAll(data, 0, last);
    node.set(0, result.add(whole, data.scales(last)).build());
  }

  /**
   * The axis is an attribute, by default 1, up to opset 19 and then input 2, by default the last
   * but one.
   */
  private static void setTransformed(NodeView node, Shape data) {
    KnownNumbers given = node.single(2);
    if (node.has(2) && given == null) {
      return;
    }
    long fallback = node.opset() < 20 ? 1 : -2;
    int axis = data.axis(given != null ? given.integer(0) : node.integer("axis", fallback));
    long extent = node.has(1) ? extent(node.single(1)) : data.extent(axis);
    boolean halves = node.integer("onesided", 0) != 0;
    boolean scales = !node.has(1) && data.scales(axis);
    node.set(0, data.with(-1, 2, false).with(axis, halves ? oneSided(extent) : extent, scales));
  }

  /** A signal of (batch, length, 1 or 2) becomes (batch, frames, frequencies, 2). */
  private static void setShortTransforms(NodeView node, Shape signal) {
    Shape window = node.shape(2);
    KnownNumbers step = node.single(1);
    long frame = !node.has(3) && window != null ? window.extent(0) : extent(node.single(3));
    long length = signal.extent(1);
    long frames = Shape.UNKNOWN;
    if (step != null && frame >= 0 && length >= 0) {
      if (step.integer(0) < 1 || frame > length) {
        throw new ShapeMismatch("frames of " + frame + " in a signal of " + length);
      }
      frames = (length - frame) / step.integer(0) + 1;
    }
    boolean halves = node.integer("onesided", 1) != 0;
    node.set(
        0,
        new Shape.Builder(4)
            .addAll(signal, 0, 1)
            .add(frames, signal.scales(1))
            .add(halves ? oneSided(frame) : frame, false)
            .add(2, false)
            .build());
  }
}
