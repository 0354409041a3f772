package dev.cotenant.features;

import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.Saturating;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;

/**
 * Bytes of the intermediate tensors that are alive while a graph runs node by node: from the node
 * that computes one to the last that reads it or a view of it. Outputs stay to the end. Graph
 * inputs, stored tensors and what is computed from them alone are not intermediates.
 */
final class LiveBytes {
  private static final class Buffer {
    private final long bytes;
    private long readers;

    Buffer(long bytes) {
      this.bytes = bytes;
    }
  }

  private final Map<String, Integer> readers = new HashMap<>();
  private final Map<String, Buffer> buffers = new HashMap<>();
  private long alive;

  LiveBytes(Graph graph) {
    for (Node node : graph.nodes()) {
      for (String name : new HashSet<>(node.reads())) {
        readers.merge(name, 1, Integer::sum);
      }
    }
    for (String output : graph.outputs()) {
      readers.merge(output, 1, Integer::sum);
    }
  }

  long alive() {
    return alive;
  }

  /** A node computes a tensor. */
  void allocate(String name, long bytes) {
    Buffer buffer = new Buffer(bytes);
    buffer.readers = readers.getOrDefault(name, 0);
    buffers.put(name, buffer);
    alive = Saturating.add(alive, bytes);
  }

  /** A node gives a tensor another shape and name. */
  void alias(String name, String original) {
    Buffer buffer = buffers.get(original);
    if (buffer != null && !name.equals(original)) {
      buffer.readers += readers.getOrDefault(name, 0);
      buffers.put(name, buffer);
    }
  }

  /** A node is done: what it was the last to read goes, and what nobody will read. */
  void finish(Node node) {
    for (String name : new HashSet<>(node.reads())) {
      Buffer buffer = buffers.get(name);
      if (buffer != null && --buffer.readers == 0) {
        alive -= buffer.bytes;
      }
    }
    for (String name : node.outputs()) {
      Buffer buffer = buffers.get(name);
      if (buffer != null && readers.getOrDefault(name, 0) == 0 && buffer.readers == 0) {
        buffer.readers = -1;
        alive -= buffer.bytes;
      }
    }
  }
}
