package dev.cotenant.zoo.onnx;

import java.util.Arrays;
import java.util.List;

/** An attribute of a node. */
public sealed interface AttributeProto {
  String name();

  record Whole(String name, long value) implements AttributeProto {}

  record Floating(String name, float value) implements AttributeProto {}

  record Wholes(String name, List<Long> values) implements AttributeProto {
    public Wholes {
      values = List.copyOf(values);
    }
  }

  record Text(String name, String value) implements AttributeProto {}

  /** A tensor stored in the file. */
  record Constant(String name, TensorData value) implements AttributeProto {}

  static AttributeProto of(String name, long value) {
    return new Whole(name, value);
  }

  static AttributeProto of(String name, float value) {
    return new Floating(name, value);
  }

  static AttributeProto of(String name, String value) {
    return new Text(name, value);
  }

  static AttributeProto ofAll(String name, int... values) {
    return new Wholes(name, Arrays.stream(values).asLongStream().boxed().toList());
  }
}
