package dev.cotenant.features.pattern;

import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.graph.Node;
import java.util.Arrays;
import java.util.List;

/** Which nodes of a graph compute and read its values. Nodes go by their place in order. */
public final class ValueIndex {
  /** No node. */
  public static final int NONE = -1;

  private final List<Node> nodes;
  private final int[] producers;
  private final int[] firstReaders;
  private final int[] readerCounts;

  public ValueIndex(Graph graph) {
    nodes = graph.nodes();
    producers = new int[graph.valueCount()];
    firstReaders = new int[graph.valueCount()];
    readerCounts = new int[graph.valueCount()];
    Arrays.fill(producers, NONE);
    Arrays.fill(firstReaders, NONE);
    for (int i = 0; i < nodes.size(); i++) {
      add(i, nodes.get(i));
    }
  }

  private void add(int index, Node node) {
    for (int i = 0; i < node.outputCount(); i++) {
      int value = node.output(i);
      if (value != InternedNames.NONE && producers[value] == NONE) {
        producers[value] = index;
      }
    }
    for (int i = 0; i < node.readCount(); i++) {
      int value = node.read(i);
      if (value != InternedNames.NONE) {
        firstReaders[value] = firstReaders[value] == NONE ? index : firstReaders[value];
        readerCounts[value]++;
      }
    }
  }

  /** The node that computes a value, or {@link #NONE}. */
  public int producer(int value) {
    return value == InternedNames.NONE ? NONE : producers[value];
  }

  /** The producer if it is of that operator, else {@link #NONE}. */
  public int producer(int value, String operator) {
    int node = producer(value);
    return node != NONE && is(node, operator) ? node : NONE;
  }

  /** The first node that reads a value, or {@link #NONE}. */
  public int reader(int value) {
    return value == InternedNames.NONE ? NONE : firstReaders[value];
  }

  public boolean is(int node, String operator) {
    return nodes.get(node).operator().equals(operator);
  }

  /** Whether a node's first output is read exactly once. */
  public boolean isReadOnce(int node) {
    int value = nodes.get(node).output(0);
    return value != InternedNames.NONE && readerCounts[value] == 1;
  }

  /** The one node that reads a node's first output, where it is of that operator. */
  public int onlyReader(int node, String operator) {
    int reader = isReadOnce(node) ? reader(nodes.get(node).output(0)) : NONE;
    return reader != NONE && is(reader, operator) ? reader : NONE;
  }
}
