package dev.cotenant.features.graph;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One attribute of a node; only what its kind holds is set. Immutable. */
public final class Attribute {
  private static final long[] NO_INTEGERS = {};
  private static final double[] NO_NUMBERS = {};

  private final String name;
  private final long integer;
  private final double number;
  private final String text;
  private final long[] integers;
  private final double[] numbers;
  private final @Nullable StoredTensor tensor;
  private final @Nullable Graph graph;
  private final @Nullable String reference;

  private Attribute(String name, Builder builder) {
    this.name = name;
    integer = builder.integer;
    number = builder.number;
    text = builder.text;
    integers = Arrays.copyOf(builder.integers, builder.integerCount);
    numbers = Arrays.copyOf(builder.numbers, builder.numberCount);
    tensor = builder.tensor;
    graph = builder.graph;
    reference = builder.reference;
  }

  public String name() {
    return name;
  }

  /** Integer value, 0 when it has none. */
  public long integer() {
    return integer;
  }

  /** Float value, 0 when it has none. */
  public double number() {
    return number;
  }

  /** Text value, empty when it has none. */
  public String text() {
    return text;
  }

  public long[] integers() {
    return integers.clone();
  }

  public int integerCount() {
    return integers.length;
  }

  public long integer(int index) {
    return integers[index];
  }

  public double[] numbers() {
    return numbers.clone();
  }

  public @Nullable StoredTensor tensor() {
    return tensor;
  }

  /** A subgraph, as the branches of {@code If} are. */
  public @Nullable Graph graph() {
    return graph;
  }

  /** Name of the enclosing function's attribute that this one stands for. */
  public @Nullable String reference() {
    return reference;
  }

  /** How many elements and characters it holds. */
  long size() {
    return (long) name.length() + text.length() + integers.length + numbers.length;
  }

  /** The same value under another name. */
  public Attribute renamed(String other) {
    Builder same = new Builder();
    same.integer = integer;
    same.number = number;
    same.text = text;
    same.integers = integers;
    same.integerCount = integers.length;
    same.numbers = numbers;
    same.numberCount = numbers.length;
    same.tensor = tensor;
    same.graph = graph;
    same.reference = reference;
    return same.build(other);
  }

  /** Collects what an attribute holds. Not thread safe. */
  public static final class Builder {
    private long integer;
    private double number;
    private String text = "";
    private long[] integers = NO_INTEGERS;
    private int integerCount;
    private double[] numbers = NO_NUMBERS;
    private int numberCount;
    private @Nullable StoredTensor tensor;
    private @Nullable Graph graph;
    private @Nullable String reference;

    public Builder integer(long value) {
      integer = value;
      return this;
    }

    public Builder number(double value) {
      number = value;
      return this;
    }

    public Builder text(String value) {
      text = value;
      return this;
    }

    public Builder tensor(StoredTensor value) {
      tensor = value;
      return this;
    }

    public Builder graph(Graph value) {
      graph = value;
      return this;
    }

    public Builder reference(String value) {
      reference = value;
      return this;
    }

    public Builder addInteger(long value) {
      if (integerCount == integers.length) {
        integers = Arrays.copyOf(integers, Math.max(4, integerCount * 2));
      }
      integers[integerCount++] = value;
      return this;
    }

    public Builder addNumber(double value) {
      if (numberCount == numbers.length) {
        numbers = Arrays.copyOf(numbers, Math.max(4, numberCount * 2));
      }
      numbers[numberCount++] = value;
      return this;
    }

    /** Integers and floats added so far. */
    public int listed() {
      return integerCount + numberCount;
    }

    public Attribute build(String name) {
      return new Attribute(name, this);
    }
  }
}
