package dev.cotenant.features;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Writes protobuf wire format: as much as a test needs to make a model. */
final class OnnxBytes {
  static final int FLOAT = 1;
  static final int INT64 = 7;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  byte[] toBytes() {
    return out.toByteArray();
  }

  OnnxBytes varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
    return this;
  }

  /** Four bytes, the lowest first, after a tag of wire type 5. */
  OnnxBytes fixed(int bits) {
    for (int i = 0; i < 4; i++) {
      out.write(bits >>> (8 * i));
    }
    return this;
  }

  OnnxBytes integer(int field, long value) {
    return varint((long) field << 3).varint(value);
  }

  OnnxBytes text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  OnnxBytes bytes(int field, byte[] value) {
    varint(((long) field << 3) | 2).varint(value.length).out.writeBytes(value);
    return this;
  }

  OnnxBytes message(int field, Consumer<OnnxBytes> content) {
    OnnxBytes inner = new OnnxBytes();
    content.accept(inner);
    return bytes(field, inner.toBytes());
  }

  /** A model of opset 17 whose graph {@code content} writes. */
  static byte[] model(Consumer<OnnxBytes> content) {
    return model(content, functions -> {});
  }

  /** A model that {@code functions} adds its own functions to. */
  static byte[] model(Consumer<OnnxBytes> content, Consumer<OnnxBytes> functions) {
    OnnxBytes model =
        new OnnxBytes().integer(1, 8).message(8, opset -> opset.integer(2, 17)).message(7, content);
    functions.accept(model);
    return model.toBytes();
  }

  /** A function of {@code x} that gives {@code y}. */
  OnnxBytes function(String domain, String name, Consumer<OnnxBytes> content) {
    return message(
        25,
        function ->
            content.accept(function.text(1, name).text(10, domain).text(4, "x").text(5, "y")));
  }

  /** A graph input; a text dimension is symbolic, an empty one missing. */
  OnnxBytes input(String name, Object... dimensions) {
    return value(11, name, dimensions);
  }

  OnnxBytes value(int field, String name, Object... dimensions) {
    return message(
        field,
        value ->
            value
                .text(1, name)
                .message(
                    2,
                    type ->
                        type.message(
                            1, tensor -> tensor.integer(1, FLOAT).message(2, shape(dimensions)))));
  }

  private static Consumer<OnnxBytes> shape(Object... dimensions) {
    return shape -> {
      for (Object dimension : dimensions) {
        shape.message(
            1,
            each -> {
              if (dimension instanceof Number number) {
                each.integer(1, number.longValue());
              } else if (!dimension.toString().isEmpty()) {
                each.text(2, dimension.toString());
              }
            });
      }
    };
  }

  OnnxBytes output(String name) {
    return message(12, value -> value.text(1, name));
  }

  /** A stored float tensor without its data. */
  OnnxBytes weight(String name, long... extents) {
    return message(5, tensor -> tensor.tensor(name, FLOAT, extents));
  }

  OnnxBytes numbers(String name, long... numbers) {
    return message(5, tensor -> tensor.vector(name, numbers));
  }

  OnnxBytes vector(String name, long... numbers) {
    tensor(name, INT64, numbers.length);
    for (long number : numbers) {
      integer(7, number);
    }
    return this;
  }

  OnnxBytes tensor(String name, int type, long... extents) {
    for (long extent : extents) {
      integer(1, extent);
    }
    return integer(2, type).text(8, name);
  }

  /** A node such as {@code "Conv x,w -> y"}. */
  OnnxBytes node(String text) {
    return node(text, attributes -> {});
  }

  OnnxBytes node(String text, Consumer<OnnxBytes> attributes) {
    return node(1, text, attributes);
  }

  /** A node of a function, where nodes have another field than in a graph. */
  OnnxBytes functionNode(String text, Consumer<OnnxBytes> attributes) {
    return node(7, text, attributes);
  }

  private OnnxBytes node(int field, String text, Consumer<OnnxBytes> attributes) {
    String[] sides = text.split(" -> ", -1);
    String[] head = sides[0].split(" ", 2);
    return message(
        field,
        node -> {
          for (String input : head.length < 2 ? new String[0] : head[1].split(",", -1)) {
            node.text(1, input);
          }
          for (String output : sides[1].split(",", -1)) {
            node.text(2, output);
          }
          int colon = head[0].lastIndexOf(':');
          node.text(4, head[0].substring(colon + 1));
          if (colon > 0) {
            node.text(7, head[0].substring(0, colon));
          }
          attributes.accept(node);
        });
  }

  OnnxBytes attribute(String name, long value) {
    return message(5, attribute -> attribute.text(1, name).integer(3, value));
  }

  OnnxBytes attribute(String name, String value) {
    return message(5, attribute -> attribute.text(1, name).text(4, value));
  }

  OnnxBytes attribute(String name, long[] values) {
    return message(
        5,
        attribute -> {
          attribute.text(1, name);
          for (long value : values) {
            attribute.integer(8, value);
          }
        });
  }

  OnnxBytes graphAttribute(String name, Consumer<OnnxBytes> graph) {
    return message(5, attribute -> attribute.text(1, name).message(6, graph));
  }
}
