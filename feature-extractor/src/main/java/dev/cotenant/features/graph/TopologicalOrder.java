package dev.cotenant.features.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Nodes in an order in which each runs after what it reads.
 *
 * <p>Kahn's algorithm; of the nodes that are ready the earliest in the file goes first, so an
 * ordered file keeps its order. O((nodes + reads) log nodes), no recursion.
 *
 * @param runnable nodes in order
 * @param cyclic nodes on a cycle or behind one, in file order
 */
record TopologicalOrder(List<Node> runnable, List<Node> cyclic) {
  static TopologicalOrder of(List<Node> nodes, Map<String, Integer> producers) {
    return isOrdered(nodes, producers)
        ? new TopologicalOrder(List.copyOf(nodes), List.of())
        : sorted(nodes, producers);
  }

  private static boolean isOrdered(List<Node> nodes, Map<String, Integer> producers) {
    for (int i = 0; i < nodes.size(); i++) {
      for (String read : nodes.get(i).reads()) {
        Integer producer = producers.get(read);
        if (producer != null && producer >= i) {
          return false;
        }
      }
    }
    return true;
  }

  private static TopologicalOrder sorted(List<Node> nodes, Map<String, Integer> producers) {
    int count = nodes.size();
    int[] missing = new int[count];
    List<List<Integer>> readers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      readers.add(new ArrayList<>(1));
    }
    for (int i = 0; i < count; i++) {
      for (String read : nodes.get(i).reads()) {
        Integer producer = producers.get(read);
        if (producer != null) {
          readers.get(producer).add(i);
          missing[i]++;
        }
      }
    }
    return drain(nodes, missing, readers);
  }

  private static TopologicalOrder drain(
      List<Node> nodes, int[] missing, List<List<Integer>> readers) {
    PriorityQueue<Integer> ready = new PriorityQueue<>();
    for (int i = 0; i < missing.length; i++) {
      if (missing[i] == 0) {
        ready.add(i);
      }
    }
    List<Node> runnable = new ArrayList<>(nodes.size());
    for (Integer next = ready.poll(); next != null; next = ready.poll()) {
      runnable.add(nodes.get(next));
      for (int reader : readers.get(next)) {
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
