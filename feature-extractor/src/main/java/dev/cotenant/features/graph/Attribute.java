package dev.cotenant.features.graph;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One attribute of a node; only what its kind holds is set. Immutable. */
public final class Attribute {
  private static final long[] NO_INTEGERS = {};
  private static final double[] NO_NUMBERS = {};

  private final String name;
  private final Builder values;

  private Attribute(String name, Builder values) {
    this.name = name;
    this.values = values;
  }

  public String name() {
    return name;
  }

  /** Integer value, 0 when it has none. */
  public long integer() {
    return values.integer;
  }

  /** Float value, 0 when it has none. */
  public double number() {
    return values.number;
  }

  /** Text value, empty when it has none. */
  public String text() {
    return values.text;
  }

  public long[] integers() {
    return values.integers.clone();
  }

  public int integerCount() {
    return values.integers.length;
  }

  public long integer(int index) {
    return values.integers[index];
  }

  public double[] numbers() {
    return values.numbers.clone();
  }

  public @Nullable StoredTensor tensor() {
    return values.tensor;
  }

  /** A subgraph, as the branches of {@code If} are. */
  public @Nullable Graph graph() {
    return values.graph;
  }

  /** Name of the enclosing function's attribute that this one stands for. */
  public @Nullable String reference() {
    return values.reference;
  }

  /** How many elements and characters it holds. */
  long size() {
    return (long) name.length()
        + values.text.length()
        + values.integers.length
        + values.numbers.length;
  }

  /** Copy with a different name. */
  public Attribute renamed(String other) {
    return new Attribute(other, values);
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

    /** The attribute; nothing is added afterwards. */
    public Attribute build(String name) {
      integers = integerCount == 0 ? NO_INTEGERS : Arrays.copyOf(integers, integerCount);
      numbers = numberCount == 0 ? NO_NUMBERS : Arrays.copyOf(numbers, numberCount);
      return new Attribute(name, this);
    }
  }
}
