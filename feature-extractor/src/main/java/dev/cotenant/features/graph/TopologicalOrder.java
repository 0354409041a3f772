package dev.cotenant.features.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Nodes in topological order.
 *
 * <p>Kahn's algorithm; of the nodes that are ready the earliest in the file goes first, so an
 * ordered file keeps its order. O((nodes + reads) log nodes), no recursion.
 *
 * @param runnable nodes in order
 * @param cyclic nodes on a cycle or behind one, in file order
 */
record TopologicalOrder(List<Node> runnable, List<Node> cyclic) {
  /**
   * @param producers index of the node that produces a value, by value; -1 where none does
   */
  static TopologicalOrder of(List<Node> nodes, int[] producers) {
    return isOrdered(nodes, producers)
        ? new TopologicalOrder(List.copyOf(nodes), List.of())
        : sorted(nodes, producers);
  }

  private static int producer(int[] producers, Node node, int read) {
    int value = node.read(read);
    return value == InternedNames.NONE ? -1 : producers[value];
  }

  private static boolean isOrdered(List<Node> nodes, int[] producers) {
    for (int i = 0; i < nodes.size(); i++) {
      Node node = nodes.get(i);
      for (int k = 0; k < node.readCount(); k++) {
        if (producer(producers, node, k) >= i) {
          return false;
        }
      }
    }
    return true;
  }

  private static TopologicalOrder sorted(List<Node> nodes, int[] producers) {
    int count = nodes.size();
    int[] missing = new int[count];
    int[] starts = new int[count + 1];
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < nodes.get(i).readCount(); k++) {
        int producer = producer(producers, nodes.get(i), k);
        if (producer >= 0) {
          starts[producer + 1]++;
          missing[i]++;
        }
      }
    }
    for (int i = 0; i < count; i++) {
      starts[i + 1] += starts[i];
    }
    int[] readers = new int[starts[count]];
    int[] next = starts.clone();
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < nodes.get(i).readCount(); k++) {
        int producer = producer(producers, nodes.get(i), k);
        if (producer >= 0) {
          readers[next[producer]++] = i;
        }
      }
    }
    return drain(nodes, missing, new Readers(starts, readers));
  }

  /** The nodes that read what node {@code i} makes, from {@code starts[i]} on. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Readers(int[] starts, int[] each) {}

  private static TopologicalOrder drain(List<Node> nodes, int[] missing, Readers readers) {
    PriorityQueue<Integer> ready = new PriorityQueue<>();
    for (int i = 0; i < missing.length; i++) {
      if (missing[i] == 0) {
        ready.add(i);
      }
    }
    List<Node> runnable = new ArrayList<>(nodes.size());
    for (Integer next = ready.poll(); next != null; next = ready.poll()) {
      runnable.add(nodes.get(next));
      for (int i = readers.starts[next]; i < readers.starts[next + 1]; i++) {
        int reader = readers.each[i];
        if (--missing[reader] == 0) {
          ready.add(reader);
        }
      }
    }
    List<Node> cyclic = new ArrayList<>();
    for (int i = 0; i < missing.length; i++) {
      if (missing[i] > 0) {
        cyclic.add(nodes.get(i));
      }
    }
    return new TopologicalOrder(List.copyOf(runnable), List.copyOf(cyclic));
  }
}
