package dev.cotenant.features.inference;

import dev.cotenant.features.graph.ElementType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Facts about a sequence of tensors: per element, or common to all. Immutable. */
public final class SequenceFact {
  /** Of longer sequences the elements are one fact for all. */
  public static final int MAX_ELEMENTS = 1024;

  private final @Nullable List<TensorFact> elements;
  private final TensorFact common;

  private SequenceFact(@Nullable List<TensorFact> elements, TensorFact common) {
    this.elements = elements;
    this.common = common;
  }

  /** An empty sequence; {@code type} is its declared element type. */
  public static SequenceFact empty(ElementType type) {
    return new SequenceFact(List.of(), TensorFact.unknown(type));
  }

  public static SequenceFact of(List<TensorFact> elements) {
    if (elements.isEmpty()) {
      return empty(ElementType.UNDEFINED);
    }
    TensorFact common = elements.getFirst();
    for (TensorFact element : elements.subList(1, elements.size())) {
      common = common.join(element);
    }
    boolean few = elements.size() <= MAX_ELEMENTS;
    return new SequenceFact(few ? List.copyOf(elements) : null, common);
  }

  /** An unknown number of one element. */
  public static SequenceFact ofUnknownLength(TensorFact common) {
    return new SequenceFact(null, common);
  }

  /** Its elements; null when their number is not known. */
  public @Nullable List<TensorFact> elements() {
    return elements;
  }

  /** What holds of every element. */
  public TensorFact common() {
    return common;
  }

  /** The element at a position, also counted from the end; the common facts without a position. */
  public TensorFact at(@Nullable KnownNumbers position) {
    if (elements == null || position == null) {
      return common;
    }
    return elements.get(index(position, elements.size()));
  }

  /** With one more element, at the end where no position is given. */
  public SequenceFact insert(TensorFact element, @Nullable KnownNumbers position) {
    TensorFact both = isEmpty() ? element : common.join(element);
    if (elements == null || elements.size() == MAX_ELEMENTS) {
      return new SequenceFact(null, both);
    }
    List<TensorFact> more = new ArrayList<>(elements);
    more.add(position == null ? more.size() : place(position, more.size()), element);
    return new SequenceFact(List.copyOf(more), both);
  }

  /** Without one element, the last where no position is given. */
  public SequenceFact erase(@Nullable KnownNumbers position) {
    if (elements == null) {
      return this;
    }
    List<TensorFact> fewer = new ArrayList<>(elements);
    fewer.remove(index(position == null ? KnownNumbers.of(-1.0) : position, fewer.size()));
    return fewer.isEmpty() ? empty(common.type()) : new SequenceFact(List.copyOf(fewer), common);
  }

  /** As many elements, of which only what is common is known. */
  public SequenceFact shuffled() {
    return elements == null
        ? this
        : new SequenceFact(Collections.nCopies(elements.size(), common), common);
  }

  /** What holds of both. */
  public SequenceFact join(SequenceFact other) {
    List<TensorFact> left = elements;
    List<TensorFact> right = other.elements;
    if (left != null && right != null && left.size() == right.size()) {
      List<TensorFact> joined = new ArrayList<>(left.size());
      for (int i = 0; i < left.size(); i++) {
        joined.add(left.get(i).join(right.get(i)));
      }
      return joined.isEmpty() ? this : of(joined);
    }
    return ofUnknownLength(
        isEmpty() ? other.common : other.isEmpty() ? common : common.join(other.common));
  }

  private boolean isEmpty() {
    return elements != null && elements.isEmpty();
  }

  private static int index(KnownNumbers position, int size) {
    int index = place(position, size);
    if (index == size) {
      throw new ShapeMismatch("element " + index + " of a sequence of " + size);
    }
    return index;
  }

  /** A position between elements: before that element, or behind the last. */
  private static int place(KnownNumbers position, int size) {
    long wanted = position.integer(0);
    long place = wanted < 0 ? wanted + size : wanted;
    if (place < 0 || place > size) {
      throw new ShapeMismatch("position " + wanted + " in a sequence of " + size);
    }
    return (int) place;
  }

  /** Whether both describe elements of the same shapes. */
  public boolean isLike(SequenceFact other) {
    List<TensorFact> left = elements;
    List<TensorFact> right = other.elements;
    if (left == null || right == null) {
      return left == null && right == null && common.isLike(other.common);
    }
    boolean same = left.size() == right.size();
    for (int i = 0; same && i < left.size(); i++) {
      same = left.get(i).isLike(right.get(i));
    }
    return same;
  }
}
