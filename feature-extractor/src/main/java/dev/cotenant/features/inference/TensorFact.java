package dev.cotenant.features.inference;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.StoredTensor;
import org.jspecify.annotations.Nullable;

/**
 * What is known about one value of the graph.
 *
 * @param type element type
 * @param shape its shape, or null when not even the rank is known
 * @param numbers its elements, when few and known
 * @param isConstant derived from stored tensors and shapes alone, so the same at every run
 * @param generated a stored weight that a node makes up, such as {@code ConstantOfShape}; counted
 *     once it is used
 */
public record TensorFact(
    ElementType type,
    @Nullable Shape shape,
    @Nullable KnownNumbers numbers,
    boolean isConstant,
    @Nullable StoredTensor generated) {

  /** Nothing but perhaps the type is known. */
  public static TensorFact unknown(ElementType type) {
    return new TensorFact(type, null, null, false, null);
  }

  /** A value that the model computes. */
  public static TensorFact of(ElementType type, @Nullable Shape shape) {
    return new TensorFact(type, shape, null, false, null);
  }

  /** A value that the model stores. */
  public static TensorFact of(StoredTensor tensor) {
    double[] numbers = tensor.numbers();
    return new TensorFact(
        tensor.type(),
        Shape.of(tensor.extents()),
        numbers == null ? null : KnownNumbers.of(numbers),
        true,
        null);
  }

  public TensorFact withNumbers(@Nullable KnownNumbers known) {
    return new TensorFact(type, shape, known, isConstant, generated);
  }

  public TensorFact withShape(@Nullable Shape other) {
    return new TensorFact(type, other, numbers, isConstant, generated);
  }

  public TensorFact withType(ElementType other) {
    return new TensorFact(other, shape, numbers, isConstant, generated);
  }

  public TensorFact withGenerated(@Nullable StoredTensor weight) {
    return new TensorFact(type, shape, numbers, isConstant, weight);
  }

  public TensorFact asConstant(boolean constant) {
    return constant == isConstant
        ? this
        : new TensorFact(type, shape, numbers, constant, generated);
  }
}
