package dev.cotenant.features.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One operator application. Its inputs and outputs are numbers of values of its graph, {@link
 * Names#NONE} where an optional input is left out or an output is not wanted. Immutable.
 */
public final class Node {
  private final InternedNames values;
  private final Texts labels;
  private final int label;
  private final String domain;
  private final String operator;
  private final String overload;

  /** Inputs, then what subgraphs use from outside, then outputs. */
  private final int[] ports;

  private final int inputCount;
  private final int readCount;
  private final Attributes attributes;

  private Node(Builder builder) {
    values = builder.values;
    labels = builder.labels;
    label = builder.label;
    domain = isDefault(builder.domain) ? "" : builder.domain;
    operator = builder.operator;
    overload = builder.overload;
    attributes = Attributes.of(builder.attributes);
    inputCount = builder.inputCount;
    readCount = inputCount + captures();
    ports = new int[readCount + builder.outputCount];
    System.arraycopy(builder.inputs, 0, ports, 0, inputCount);
    if (readCount > inputCount) {
      addCaptured();
    }
    System.arraycopy(builder.outputs, 0, ports, readCount, builder.outputCount);
  }

  private Node(Node same, Attributes attributes) {
    values = same.values;
    labels = same.labels;
    label = same.label;
    domain = same.domain;
    operator = same.operator;
    overload = same.overload;
    ports = same.ports;
    inputCount = same.inputCount;
    readCount = same.readCount;
    this.attributes = attributes;
  }

  private int captures() {
    int count = 0;
    for (Attribute attribute : attributes) {
      Graph body = attribute.graph();
      count += body == null ? 0 : body.capturedCount();
    }
    return count;
  }

  private void addCaptured() {
    int next = inputCount;
    for (Attribute attribute : attributes) {
      Graph body = attribute.graph();
      for (int i = 0; body != null && i < body.capturedCount(); i++) {
        ports[next++] = values.add(body.valueName(body.captured(i)));
      }
    }
  }

  /** Operator type, such as {@code Conv}. */
  public String operator() {
    return operator;
  }

  public int inputCount() {
    return inputCount;
  }

  /** The value that is input {@code index}; {@link InternedNames#NONE} where it is left out. */
  public int input(int index) {
    return index < inputCount ? ports[index] : InternedNames.NONE;
  }

  public int outputCount() {
    return ports.length - readCount;
  }

  /** The value that is output {@code index}; {@link InternedNames#NONE} where it is not wanted. */
  public int output(int index) {
    return index < outputCount() ? ports[readCount + index] : InternedNames.NONE;
  }

  public Attributes attributes() {
    return attributes;
  }

  /** Copy with different attributes. */
  public Node with(Attributes others) {
    return new Node(this, others);
  }

  /** How messages call it: its name, else its first output, and its operator. */
  public String label() {
    String known = label == InternedNames.NONE ? "" : labels.text(label);
    if (known.isEmpty() && output(0) != InternedNames.NONE) {
      known = values.text(output(0));
    }
    return known.isEmpty() ? operator : operator + " " + known;
  }

  /**
   * Domain and operator, such as {@code com.microsoft:Attention} or {@code Conv}, and which of
   * several functions of that name is called.
   */
  public String key() {
    return key(domain, operator, overload);
  }

  /** Key of an operator, or of a function with overloads. */
  public static String key(String domain, String operator, String overload) {
    String key = isDefault(domain) ? operator : domain + ":" + operator;
    return overload.isEmpty() ? key : key + "/" + overload;
  }

  private static boolean isDefault(String domain) {
    return domain.isEmpty() || domain.equals("ai.onnx");
  }

  /** How many values it reads: its inputs and what its subgraphs use from outside. */
  public int readCount() {
    return readCount;
  }

  /** A value that it reads; {@link InternedNames#NONE} where an input is left out. */
  public int read(int index) {
    return ports[index];
  }

  /** What a visit takes, in nodes of few inputs. */
  long size() {
    long texts = label == InternedNames.NONE ? 0L : labels.length(label);
    texts += (long) domain.length() + operator.length() + overload.length();
    return 1L + ports.length + attributes.size() + texts / Graph.BYTES_OF_A_NODE;
  }

  /** Builds nodes one at a time. Not thread safe. */
  public static final class Builder {
    private final InternedNames values;
    private final Texts labels;
    private final List<Attribute> attributes = new ArrayList<>();
    private int[] inputs = new int[8];
    private int inputCount;
    private int[] outputs = new int[8];
    private int outputCount;
    private int label;
    private String domain = "";
    private String operator = "";
    private String overload = "";

    Builder(InternedNames values, Texts labels) {
      this.values = values;
      this.labels = labels;
    }

    Builder start() {
      attributes.clear();
      inputCount = 0;
      outputCount = 0;
      label = InternedNames.NONE;
      domain = "";
      operator = "";
      overload = "";
      return this;
    }

    public Builder input(int value) {
      inputs = withRoom(inputs, inputCount);
      inputs[inputCount++] = value;
      return this;
    }

    public Builder output(int value) {
      outputs = withRoom(outputs, outputCount);
      outputs[outputCount++] = value;
      return this;
    }

    private static int[] withRoom(int[] values, int count) {
      return count < values.length ? values : Arrays.copyOf(values, count * 2);
    }

    /** How many outputs were added so far. */
    public int outputCount() {
      return outputCount;
    }

    /** The name that the exporter gave, in UTF-8; returns its bytes. */
    public int label(byte[] buffer, int from, int length) {
      label = length == 0 ? InternedNames.NONE : labels.append(buffer, from, length);
      return length;
    }

    public Builder domain(String given) {
      domain = given;
      return this;
    }

    public Builder operator(String given) {
      operator = given;
      return this;
    }

    /** Selects an overload of the function. */
    public Builder overload(String given) {
      overload = given;
      return this;
    }

    public Builder attribute(Attribute given) {
      attributes.add(given);
      return this;
    }

    public Node build() {
      return new Node(this);
    }
  }
}
