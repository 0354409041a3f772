package dev.cotenant.datasets.zoo;

import java.util.Arrays;
import java.util.List;

/** An attribute of a node. */
sealed interface Attribute {
  String name();

  record Whole(String name, long value) implements Attribute {}

  record Floating(String name, float value) implements Attribute {}

  record Wholes(String name, List<Long> values) implements Attribute {
    public Wholes {
      values = List.copyOf(values);
    }
  }

  record Text(String name, String value) implements Attribute {}

  /** A tensor stored in the file. */
  record Constant(String name, TensorData value) implements Attribute {}

  static Attribute of(String name, long value) {
    return new Whole(name, value);
  }

  static Attribute of(String name, float value) {
    return new Floating(name, value);
  }

  static Attribute of(String name, String value) {
    return new Text(name, value);
  }

  static Attribute ofAll(String name, int... values) {
    return new Wholes(name, Arrays.stream(values).asLongStream().boxed().toList());
  }
}
