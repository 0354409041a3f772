package dev.cotenant.features;

import dev.cotenant.features.graph.Node;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which nodes compute and read the values of a graph. Built when it is first asked. */
final class ValueIndex {
  /** No node. */
  static final int NONE = -1;

  private final List<Node> nodes;
  private final Map<String, Integer> producers = new HashMap<>();
  private final Map<String, Integer> firstReaders = new HashMap<>();
  private final Map<String, Integer> readerCounts = new HashMap<>();

  ValueIndex(List<Node> nodes) {
    this.nodes = nodes;
  }

  /** Index of the node that computes a value, or {@link #NONE}. */
  int producer(String value) {
    return built().producers.getOrDefault(value, NONE);
  }

  /** Index of the first node that reads a value, or {@link #NONE}. */
  int reader(String value) {
    return built().firstReaders.getOrDefault(value, NONE);
  }

  /** How often a value is read. */
  int readers(String value) {
    return built().readerCounts.getOrDefault(value, 0);
  }

  private ValueIndex built() {
    for (int i = producers.isEmpty() ? 0 : nodes.size(); i < nodes.size(); i++) {
      for (String output : nodes.get(i).outputs()) {
        producers.putIfAbsent(output, i);
      }
      for (String input : nodes.get(i).reads()) {
        firstReaders.putIfAbsent(input, i);
        readerCounts.merge(input, 1, Integer::sum);
      }
    }
    return this;
  }
}
