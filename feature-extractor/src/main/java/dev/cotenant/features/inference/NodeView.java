package dev.cotenant.features.inference;

import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.graph.StoredTensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A node with facts about its inputs; rules read them and set its outputs. */
public final class NodeView {
  /** What holds where a model does not say: the newest that is understood. */
  public static final long NEWEST_OPSET = 24;

  private final Node node;
  private final long declaredBatch;
  private final @Nullable TensorFact[] inputs;
  private final @Nullable TensorFact[] outputs;
  private long opset = NEWEST_OPSET;

  /**
   * @param node the node
   * @param inputs a fact an input, not copied; null where an optional one is left out
   * @param declaredBatch batch at which shapes are derived
   */
  public NodeView(Node node, @Nullable TensorFact[] inputs, long declaredBatch) {
    this.node = node;
    this.declaredBatch = declaredBatch;
    this.inputs = inputs;
    this.outputs = new TensorFact[node.outputCount()];
  }

  /** Says which version of {@code ai.onnx} the model is written in. */
  public NodeView atOpset(long version) {
    opset = version;
    return this;
  }

  /** Version of {@code ai.onnx}, for the few defaults that changed. */
  public long opset() {
    return opset;
  }

  public String label() {
    return node.label();
  }

  public long declaredBatch() {
    return declaredBatch;
  }

  public int inputCount() {
    return inputs.length;
  }

  public int outputCount() {
    return outputs.length;
  }

  public boolean has(int input) {
    return input < inputs.length && inputs[input] != null;
  }

  public @Nullable TensorFact input(int index) {
    return index < inputs.length ? inputs[index] : null;
  }

  public @Nullable Shape shape(int input) {
    TensorFact fact = input(input);
    return fact == null ? null : fact.shape();
  }

  /** Elements of a sequence input. */
  public @Nullable SequenceFact sequence(int input) {
    TensorFact fact = input(input);
    return fact == null ? null : fact.sequence();
  }

  public @Nullable KnownNumbers numbers(int input) {
    TensorFact fact = input(input);
    return fact == null ? null : fact.numbers();
  }

  /** The element of an input with a single known element. */
  public @Nullable KnownNumbers single(int input) {
    KnownNumbers numbers = numbers(input);
    return numbers == null || numbers.size() != 1 ? null : numbers;
  }

  public ElementType type(int input) {
    TensorFact fact = input(input);
    return fact == null ? ElementType.UNDEFINED : fact.type();
  }

  /** Whether an input is there and the same at every run. */
  public boolean isConstant(int input) {
    TensorFact fact = input(input);
    return fact != null && fact.isConstant();
  }

  /** Whether all inputs are constants. */
  public boolean isConstant() {
    for (TensorFact fact : inputs) {
      if (fact != null && !fact.isConstant()) {
        return false;
      }
    }
    return true;
  }

  public boolean hasAttribute(String name) {
    return node.attributes().has(name);
  }

  public @Nullable Attribute attribute(String name) {
    return node.attributes().find(name);
  }

  public long integer(String name, long fallback) {
    Attribute attribute = attribute(name);
    return attribute == null ? fallback : attribute.integer();
  }

  public double number(String name, double fallback) {
    Attribute attribute = attribute(name);
    return attribute == null ? fallback : attribute.number();
  }

  public String text(String name) {
    Attribute attribute = attribute(name);
    return attribute == null ? "" : attribute.text();
  }

  /** An integer list, or null where the attribute is left out. */
  public long @Nullable [] integers(String name) {
    Attribute attribute = attribute(name);
    return attribute == null ? null : attribute.integers();
  }

  /** Entry {@code index} of an integer list that may be left out or too short. */
  public long integerAt(String name, int index, long fallback) {
    Attribute attribute = attribute(name);
    return attribute == null || index >= attribute.integerCount()
        ? fallback
        : attribute.integer(index);
  }

  /** A list that older opsets hold in an attribute and newer ones in an input. */
  public @Nullable KnownNumbers attributeOrInput(String name, int input) {
    long[] integers = integers(name);
    if (integers == null) {
      return numbers(input);
    }
    return KnownNumbers.of(Arrays.stream(integers).asDoubleStream().toArray());
  }

  public @Nullable TensorFact output(int index) {
    return index < outputs.length ? outputs[index] : null;
  }

  public @Nullable Shape outputShape(int index) {
    TensorFact fact = output(index);
    return fact == null ? null : fact.shape();
  }

  /** Sets an output of the first input's type. */
  public void set(int output, @Nullable Shape shape) {
    set(output, type(0), shape);
  }

  public void set(int output, ElementType type, @Nullable Shape shape) {
    set(output, new TensorFact(type, shape, null, isConstant(), null));
  }

  /** Sets a tensor of known elements; shape and constancy are the rule's business. */
  public void set(int output, TensorFact fact) {
    if (output >= outputs.length) {
      return;
    }
    KnownNumbers numbers = fact.numbers();
    Shape shape = fact.shape();
    boolean fits = numbers == null || (shape != null && shape.elements() == numbers.size());
    outputs[output] = fits ? fact : fact.withNumbers(null);
  }

  /** Sets an output whose elements are known from shapes. */
  public void setNumbers(int output, ElementType type, Shape shape, @Nullable KnownNumbers known) {
    set(output, new TensorFact(type, shape, known, isConstant() || known != null, null));
  }

  /** Sets a constant output that stands for a weight the node makes up. */
  public void setGenerated(int output, TensorFact fact, StoredTensor weight) {
    set(output, fact.withGenerated(weight));
  }
}
