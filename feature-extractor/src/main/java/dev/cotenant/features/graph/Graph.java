package dev.cotenant.features.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A graph, or the body of a branch, loop or function; its nodes lie in a runnable order.
 *
 * <p>Values have numbers, from 0 in order of first appearance in the file, so that facts fit into
 * arrays. A body numbers its values itself: names tell which of them are the enclosing graph's.
 */
public final class Graph {
  /** Bytes of names that take as long as a node. */
  static final int BYTES_OF_A_NODE = 32;

  private final InternedNames values;
  private final List<Node> nodes;
  private final List<Node> unreachable;
  private final Map<Integer, StoredTensor> initializers;
  private final BitSet stored = new BitSet();
  private final List<ValueDeclaration> inputs;
  private final int[] outputs;
  private final @Nullable ValueDeclaration[] declarations;
  private final int[] captured;
  private final int[] duplicates;
  private final long size;

  private Graph(Builder builder) {
    values = builder.values;
    initializers = Collections.unmodifiableMap(builder.initializers);
    initializers.keySet().forEach(value -> mark(stored, value));
    inputs = List.copyOf(builder.inputs);
    outputs = builder.outputs.stream().mapToInt(ValueDeclaration::value).toArray();
    declarations = builder.declared();
    int[] producers = new int[values.count()];
    duplicates = findProducers(builder.nodes, producers);
    TopologicalOrder order = TopologicalOrder.of(builder.nodes, producers);
    nodes = order.runnable();
    unreachable = order.cyclic();
    captured = captures(producers);
    size = sizeOf(builder.nodes);
  }

  private long sizeOf(List<Node> all) {
    long sum = values.count();
    sum += values.bytes() / BYTES_OF_A_NODE;
    sum += inputs.size();
    sum += outputs.length;
    sum += initializers.size();
    for (Node node : all) {
      sum += node.size();
    }
    return sum;
  }

  /** Fills in the first node that produces each value; returns values that more than one does. */
  private static int[] findProducers(List<Node> nodes, int[] producers) {
    Arrays.fill(producers, -1);
    BitSet doubled = new BitSet();
    int[] found = {};
    int count = 0;
    for (int i = 0; i < nodes.size(); i++) {
      for (int k = 0; k < nodes.get(i).outputCount(); k++) {
        int value = nodes.get(i).output(k);
        if (value == InternedNames.NONE) {
          continue;
        }
        if (producers[value] < 0) {
          producers[value] = i;
        } else if (!doubled.get(value)) {
          doubled.set(value);
          found = count == found.length ? Arrays.copyOf(found, count * 2 + 4) : found;
          found[count++] = value;
        }
      }
    }
    return Arrays.copyOf(found, count);
  }

  private int[] captures(int[] producers) {
    BitSet own = new BitSet(producers.length);
    for (int value = 0; value < producers.length; value++) {
      own.set(value, producers[value] >= 0);
    }
    own.or(stored);
    inputs.forEach(input -> mark(own, input.value()));
    int[] outer = new int[producers.length];
    int count = 0;
    for (Node node : nodes) {
      for (int i = 0; i < node.readCount(); i++) {
        count = addUnless(own, node.read(i), outer, count);
      }
    }
    for (int output : outputs) {
      count = addUnless(own, output, outer, count);
    }
    return Arrays.copyOf(outer, count);
  }

  private static void mark(BitSet set, int value) {
    if (value != InternedNames.NONE) {
      set.set(value);
    }
  }

  private static int addUnless(BitSet own, int value, int[] outer, int count) {
    if (value == InternedNames.NONE || own.get(value)) {
      return count;
    }
    own.set(value);
    outer[count] = value;
    return count + 1;
  }

  /** Nodes, names, uses and attributes together: what a walk over it takes. */
  public long size() {
    return size;
  }

  /** How many values are named. */
  public int valueCount() {
    return values.count();
  }

  public String valueName(int value) {
    return values.text(value);
  }

  /** Number of the value of that name, {@link InternedNames#NONE} where there is none. */
  public int value(String valueName) {
    return values.find(valueName);
  }

  /** Nodes in a runnable order: the file's order if runnable. */
  public List<Node> nodes() {
    return nodes;
  }

  /** Nodes on a cycle or behind one, which cannot run. */
  public List<Node> unreachable() {
    return unreachable;
  }

  /** Stored tensors by value, in the file's order. */
  public Map<Integer, StoredTensor> initializers() {
    return initializers;
  }

  public boolean isStored(int value) {
    return value != InternedNames.NONE && stored.get(value);
  }

  /** Declared inputs; old models list their initializers here too. */
  public List<ValueDeclaration> inputs() {
    return inputs;
  }

  public int outputCount() {
    return outputs.length;
  }

  /** The value that is output {@code index}. */
  public int output(int index) {
    return outputs[index];
  }

  /** What is declared about an inner value or output, if anything. */
  public @Nullable ValueDeclaration declaration(int value) {
    return value >= 0 && value < declarations.length ? declarations[value] : null;
  }

  /** How many values of the enclosing graph are used. */
  public int capturedCount() {
    return captured.length;
  }

  /** This graph's number of a value that comes from the enclosing graph. */
  public int captured(int index) {
    return captured[index];
  }

  /** Values that more than one node claims to produce; the first one counts. */
  public List<String> duplicates() {
    return Arrays.stream(duplicates).mapToObj(values::text).toList();
  }

  /** Collects the parts of a graph. Not thread safe. */
  public static final class Builder {
    private static final ValueDeclaration[] NOTHING = {};

    private final InternedNames values = new InternedNames();
    private final Node.Builder node = new Node.Builder(values, new Texts());
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Integer, StoredTensor> initializers = new LinkedHashMap<>();
    private final List<ValueDeclaration> inputs = new ArrayList<>();
    private final List<ValueDeclaration> outputs = new ArrayList<>();
    private final List<ValueDeclaration> declarations = new ArrayList<>();

    /** Names of the graph's values. */
    public InternedNames values() {
      return values;
    }

    /** Starts a node of this graph; one at a time. */
    public Node.Builder node() {
      return node.start();
    }

    public Builder node(Node given) {
      nodes.add(given);
      return this;
    }

    public Builder initializer(int value, StoredTensor tensor) {
      initializers.put(value, tensor);
      return this;
    }

    public Builder input(ValueDeclaration value) {
      inputs.add(value);
      return this;
    }

    public Builder output(ValueDeclaration value) {
      outputs.add(value);
      return this;
    }

    public Builder declaration(ValueDeclaration value) {
      declarations.add(value);
      return this;
    }

    /** By value: the last of an inner value; of an output, where there is no other. */
    private @Nullable ValueDeclaration[] declared() {
      if (declarations.isEmpty() && outputs.isEmpty()) {
        return NOTHING;
      }
      ValueDeclaration[] declared = new ValueDeclaration[values.count()];
      for (ValueDeclaration each : declarations) {
        put(declared, each);
      }
      for (ValueDeclaration each : outputs) {
        if (each.value() != InternedNames.NONE && declared[each.value()] == null) {
          put(declared, each);
        }
      }
      return declared;
    }

    private static void put(@Nullable ValueDeclaration[] declared, ValueDeclaration each) {
      if (each.value() != InternedNames.NONE) {
        declared[each.value()] = each;
      }
    }

    public Graph build() {
      return new Graph(this);
    }
  }
}
