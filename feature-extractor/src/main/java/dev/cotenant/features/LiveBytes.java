package dev.cotenant.features;

import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.Names;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.Saturating;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

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

  /** Nodes that read a value, and the graph itself for an output; by value. */
  private final int[] readers;

  private final @Nullable Buffer[] buffers;

  /** The node that last looked at a value, so that a node counts once however often it reads it. */
  private final int[] lookedAt;

  private int looks;
  private long alive;

  LiveBytes(Graph graph) {
    readers = new int[graph.valueCount()];
    buffers = new Buffer[graph.valueCount()];
    lookedAt = new int[graph.valueCount()];
    for (Node node : graph.nodes()) {
      looks++;
      for (int i = 0; i < node.readCount(); i++) {
        if (isFirstLook(node.read(i))) {
          readers[node.read(i)]++;
        }
      }
    }
    for (int i = 0; i < graph.outputCount(); i++) {
      if (graph.output(i) != Names.NONE) {
        readers[graph.output(i)]++;
      }
    }
    Arrays.fill(lookedAt, 0);
    looks = 0;
  }

  private boolean isFirstLook(int value) {
    if (value == Names.NONE || lookedAt[value] == looks) {
      return false;
    }
    lookedAt[value] = looks;
    return true;
  }

  long alive() {
    return alive;
  }

  /** A node computes a tensor. */
  void allocate(int value, long bytes) {
    Buffer buffer = new Buffer(bytes);
    buffer.readers = readers[value];
    buffers[value] = buffer;
    alive = Saturating.add(alive, bytes);
  }

  /** A node gives a tensor another shape and name. */
  void alias(int value, int original) {
    Buffer buffer = original == Names.NONE ? null : buffers[original];
    if (buffer != null && value != original) {
      buffer.readers += readers[value];
      buffers[value] = buffer;
    }
  }

  /** A node is done: what it was the last to read goes, and what nobody will read. */
  void finish(Node node) {
    looks++;
    for (int i = 0; i < node.readCount(); i++) {
      Buffer buffer = isFirstLook(node.read(i)) ? buffers[node.read(i)] : null;
      if (buffer != null && --buffer.readers == 0) {
        alive -= buffer.bytes;
      }
    }
    for (int i = 0; i < node.outputCount(); i++) {
      int value = node.output(i);
      Buffer buffer = value == Names.NONE ? null : buffers[value];
      if (buffer != null && readers[value] == 0 && buffer.readers == 0) {
        buffer.readers = -1;
        alive -= buffer.bytes;
      }
    }
  }
}
