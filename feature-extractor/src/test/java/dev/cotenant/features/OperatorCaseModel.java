package dev.cotenant.features;

import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import java.util.ArrayList;
import java.util.List;

/** Writes an {@link OperatorCase} as a model of one node; known numbers are stored in it. */
final class OperatorCaseModel {
  private static final int INTEGER_DATA = 5;
  private static final int LONG_DATA = 7;

  /** Kinds of attributes [onnx.proto, AttributeProto.AttributeType]. */
  private static final int INTEGER = 2;

  private static final int TEXT = 3;
  private static final int INTEGERS = 7;

  private OperatorCaseModel() {}

  static byte[] of(OperatorCase each, long opset) {
    return new OnnxBytes()
        .integer(1, 10)
        .message(8, domain -> domain.text(1, "").integer(2, opset))
        .message(8, domain -> domain.text(1, "com.microsoft").integer(2, 1))
        .message(7, graph -> write(each, graph))
        .toBytes();
  }

  private static void write(OperatorCase each, OnnxBytes graph) {
    graph.text(2, "one node");
    List<String> names = new ArrayList<>();
    for (int i = 0; i < each.inputs().size(); i++) {
      TensorFact fact = each.inputs().get(i);
      names.add(fact == null ? "" : "i" + i);
      Shape shape = fact == null ? null : fact.shape();
      KnownNumbers numbers = fact == null ? null : fact.numbers();
      if (fact != null && shape != null && numbers != null) {
        String name = names.getLast();
        graph.message(5, tensor -> store(tensor.text(8, name), fact.type(), shape, numbers));
      } else if (fact != null && shape != null) {
        String name = names.getLast();
        graph.message(11, value -> declare(value.text(1, name), fact.type(), shape));
      }
    }
    List<String> outputs = new ArrayList<>();
    for (int i = 0; i < each.outputs().split(" +", -1).length; i++) {
      outputs.add("o" + i);
    }
    String inputs = names.isEmpty() ? "" : " " + String.join(",", names);
    graph.node(
        each.key() + inputs + " -> " + String.join(",", outputs),
        node ->
            each.attributes().values().stream()
                .filter(attribute -> !attribute.name().equals("opset"))
                .forEach(attribute -> node.message(5, message -> write(attribute, message))));
    outputs.forEach(graph::output);
  }

  private static void store(OnnxBytes tensor, ElementType type, Shape shape, KnownNumbers numbers) {
    for (long extent : shape.extents()) {
      tensor.integer(1, extent);
    }
    tensor.integer(2, type.number());
    for (long number : numbers.integers()) {
      tensor.integer(type == ElementType.INT64 ? LONG_DATA : INTEGER_DATA, number);
    }
  }

  private static void declare(OnnxBytes value, ElementType type, Shape shape) {
    value.message(
        2,
        declared ->
            declared.message(
                1,
                tensor ->
                    tensor
                        .integer(1, type.number())
                        .message(2, dimensions -> declare(dimensions, shape))));
  }

  private static void declare(OnnxBytes dimensions, Shape shape) {
    for (long extent : shape.extents()) {
      dimensions.message(
          1, each -> (extent < 0 ? each.text(2, "free") : each.integer(1, extent)).toBytes());
    }
  }

  private static void write(Attribute attribute, OnnxBytes message) {
    message.text(1, attribute.name());
    if (attribute.integerCount() > 0) {
      for (long integer : attribute.integers()) {
        message.integer(8, integer);
      }
      message.integer(20, INTEGERS);
    } else if (attribute.text().isEmpty()) {
      message.integer(3, attribute.integer()).integer(20, INTEGER);
    } else {
      message.text(4, attribute.text()).integer(20, TEXT);
    }
  }
}
