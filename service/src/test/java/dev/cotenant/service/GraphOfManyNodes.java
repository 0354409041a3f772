package dev.cotenant.service;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * An ONNX file with a chain of activations, whose parsed graph takes several times its size. Fields
 * are those of onnx.proto.
 */
final class GraphOfManyNodes {
  private static final int LENGTH_DELIMITED = 2;

  private GraphOfManyNodes() {}

  /**
   * The bytes of the file.
   *
   * @param name of the graph, so that files of two names differ
   * @param nodes of which each takes about 30 bytes
   */
  static byte[] of(String name, int nodes) {
    Message graph = new Message();
    for (int i = 0; i < nodes; i++) {
      graph.add(1, new Message().add(1, "t" + i).add(2, "t" + (i + 1)).add(4, "Relu"));
    }
    Message shape = new Message().add(1, new Message().add(1, 4));
    Message type = new Message().add(1, new Message().add(1, 1).add(2, shape));
    graph
        .add(2, name)
        .add(11, new Message().add(1, "t0").add(2, type))
        .add(12, new Message().add(1, "t" + nodes).add(2, type));
    return new Message().add(1, 8).add(7, graph).add(8, new Message().add(2, 17)).bytes();
  }

  /** A message of Protocol Buffers. */
  private static final class Message {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private void varint(int value) {
      int rest = value;
      while (rest > 0x7f) {
        out.write((rest & 0x7f) | 0x80);
        rest >>>= 7;
      }
      out.write(rest);
    }

    private Message add(int field, int value) {
      varint(field << 3);
      varint(value);
      return this;
    }

    private Message add(int field, String text) {
      return add(field, text.getBytes(StandardCharsets.UTF_8));
    }

    private Message add(int field, Message message) {
      return add(field, message.bytes());
    }

    private Message add(int field, byte[] bytes) {
      varint((field << 3) | LENGTH_DELIMITED);
      varint(bytes.length);
      out.writeBytes(bytes);
      return this;
    }

    private byte[] bytes() {
      return out.toByteArray();
    }
  }
}
