package dev.cotenant.features.inference;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.StoredTensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Facts about one value of the graph.
 *
 * @param type element type
 * @param shape its shape, or null when not even the rank is known
 * @param numbers its elements, when few and known
 * @param isConstant derived from stored tensors and shapes alone, so the same at every run
 * @param generated a stored weight that a node makes up, such as {@code ConstantOfShape}; counted
 *     once it is used
 * @param sequence its elements where it is a sequence of tensors, which has no shape
 */
public record TensorFact(
    ElementType type,
    @Nullable Shape shape,
    @Nullable KnownNumbers numbers,
    boolean isConstant,
    @Nullable StoredTensor generated,
    @Nullable SequenceFact sequence) {

  /** A tensor. */
  public TensorFact(
      ElementType type,
      @Nullable Shape shape,
      @Nullable KnownNumbers numbers,
      boolean isConstant,
      @Nullable StoredTensor generated) {
    this(type, shape, numbers, isConstant, generated, null);
  }

  /** Nothing but perhaps the type is known. */
  public static TensorFact unknown(ElementType type) {
    return new TensorFact(type, null, null, false, null);
  }

  /** A value that the model computes. */
  public static TensorFact of(ElementType type, @Nullable Shape shape) {
    return new TensorFact(type, shape, null, false, null);
  }

  /** A sequence that the model computes. */
  public static TensorFact of(SequenceFact sequence) {
    return new TensorFact(sequence.common().type(), null, null, false, null, sequence);
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

  /** Whether neither a shape nor elements are known. */
  public boolean isUnknown() {
    return shape == null && sequence == null;
  }

  public TensorFact withNumbers(@Nullable KnownNumbers known) {
    return new TensorFact(type, shape, known, isConstant, generated, sequence);
  }

  public TensorFact withShape(@Nullable Shape other) {
    return new TensorFact(type, other, numbers, isConstant, generated, sequence);
  }

  public TensorFact withType(ElementType other) {
    return new TensorFact(other, shape, numbers, isConstant, generated, sequence);
  }

  public TensorFact withGenerated(@Nullable StoredTensor weight) {
    return new TensorFact(type, shape, numbers, isConstant, weight, sequence);
  }

  public TensorFact asConstant(boolean constant) {
    return constant == isConstant
        ? this
        : new TensorFact(type, shape, numbers, constant, generated, sequence);
  }

  /** The same as a value that changes from run to run: its shape, not its elements. */
  public TensorFact asVarying() {
    return sequence == null ? of(type, shape) : of(sequence);
  }

  /** What holds of both, as a value that changes from run to run. */
  public TensorFact join(TensorFact other) {
    if (sequence != null && other.sequence != null) {
      return of(sequence.join(other.sequence));
    }
    ElementType both = type == other.type ? type : ElementType.UNDEFINED;
    return shape == null || other.shape == null
        ? unknown(both)
        : of(both, Shape.join(shape, other.shape));
  }

  /** Whether both have the same shape, or elements of the same shapes. */
  public boolean isLike(TensorFact other) {
    if (sequence == null || other.sequence == null) {
      return sequence == other.sequence && Objects.equals(shape, other.shape);
    }
    return sequence.isLike(other.sequence);
  }
}
