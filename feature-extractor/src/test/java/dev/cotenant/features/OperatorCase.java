package dev.cotenant.features;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.BatchScale;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.TensorFact;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One line of {@code operator-cases.txt}: an operator, its inputs and attributes, and what comes
 * out. The format is described there.
 */
record OperatorCase(
    String line,
    String key,
    List<@Nullable TensorFact> inputs,
    Map<String, Attribute> attributes,
    String outputs,
    String macs,
    String layers) {
  private static final String SEPARATOR = " *\\| *";

  static OperatorCase parse(String line) {
    String[] parts = line.split(SEPARATOR, -1);
    String[] head = parts[0].trim().split(" +", -1);
    List<@Nullable TensorFact> inputs = new ArrayList<>();
    for (int i = 1; i < head.length; i++) {
      inputs.add(head[i].equals("-") ? null : fact(head[i]));
    }
    Map<String, Attribute> attributes = new HashMap<>();
    for (String each : parts[1].trim().split(" +", -1)) {
      if (!each.isEmpty()) {
        String[] sides = each.split("=", 2);
        attributes.put(sides[0], attribute(sides[0], sides[1]));
      }
    }
    return new OperatorCase(
        line,
        head[0],
        inputs,
        attributes,
        parts[2].trim(),
        parts.length > 3 ? parts[3].trim() : "",
        parts.length > 4 ? parts[4].trim() : "");
  }

  private static TensorFact fact(String text) {
    String[] sides = text.split(":", 2);
    String body = sides[0];
    boolean numbers = body.startsWith("[") || body.startsWith("=");
    ElementType type =
        sides.length > 1
            ? ElementType.valueOf(sides[1].toUpperCase(Locale.ROOT))
            : numbers ? ElementType.INT64 : ElementType.FLOAT;
    if (numbers) {
      String list = body.replaceAll("[=\\[\\]]", "");
      double[] each = list.isEmpty() ? new double[0] : doubles(list);
      Shape shape = body.startsWith("=") ? Shape.SCALAR : Shape.of(each.length);
      return new TensorFact(type, shape, KnownNumbers.of(each), true, null);
    }
    boolean stored = body.startsWith("w");
    return TensorFact.of(type, shape(stored ? body.substring(1) : body)).asConstant(stored);
  }

  private static double[] doubles(String list) {
    return Arrays.stream(list.split(",", -1)).mapToDouble(Double::parseDouble).toArray();
  }

  private static @Nullable Shape shape(String text) {
    if (text.equals("unknown")) {
      return null;
    }
    Shape.Builder shape = new Shape.Builder(4);
    for (String extent : text.equals("scalar") ? new String[0] : text.split("x", -1)) {
      boolean scales = extent.endsWith("n");
      String number = scales ? extent.substring(0, extent.length() - 1) : extent;
      shape.add(number.equals("?") ? Shape.UNKNOWN : Long.parseLong(number), scales);
    }
    return shape.build();
  }

  private static Attribute attribute(String name, String value) {
    Attribute.Builder attribute = new Attribute.Builder();
    if (value.startsWith("[")) {
      for (String each : value.replaceAll("[\\[\\]]", "").split(",", -1)) {
        if (!each.isEmpty()) {
          attribute.addInteger(Long.parseLong(each));
        }
      }
    } else if (value.matches("-?\\d+")) {
      attribute.integer(Long.parseLong(value));
    } else {
      attribute.text(value);
    }
    return attribute.build(name);
  }

  Operator operator() {
    return Objects.requireNonNull(StandardOperators.table().find(key), key);
  }

  private NodeView view() {
    int colon = key.lastIndexOf(':');
    Node.Builder node =
        new Graph.Builder()
            .node()
            .domain(colon < 0 ? "" : key.substring(0, colon))
            .operator(key.substring(colon + 1));
    for (int i = 0; i < inputs.size(); i++) {
      node.input(inputs.get(i) == null ? InternedNames.NONE : i);
    }
    for (int i = 0; i < outputs.split(" +", -1).length; i++) {
      node.output(inputs.size() + i);
    }
    attributes.values().forEach(node::attribute);
    NodeView view = new NodeView(node.build(), inputs.toArray(new TensorFact[0]), 1);
    Attribute opset = attributes.get("opset");
    return opset == null ? view : view.atOpset(opset.integer());
  }

  /** Outputs as the line writes them. */
  String found() {
    NodeView view = view();
    try {
      operator().shape().apply(view);
    } catch (ShapeMismatch mismatch) {
      return "mismatch";
    }
    String[] wanted = outputs.split(" +", -1);
    List<String> found = new ArrayList<>();
    for (int i = 0; i < wanted.length; i++) {
      boolean typed = wanted[i].contains(":");
      found.add(text(view.output(i), typed));
    }
    return String.join(" ", found);
  }

  private static String text(@Nullable TensorFact fact, boolean typed) {
    Shape shape = fact == null ? null : fact.shape();
    if (fact == null || shape == null) {
      return "unknown";
    }
    List<String> extents = new ArrayList<>();
    for (int i = 0; i < shape.rank(); i++) {
      String extent = shape.extent(i) < 0 ? "?" : Long.toString(shape.extent(i));
      extents.add(extent + (shape.scales(i) ? "n" : ""));
    }
    String all = extents.isEmpty() ? "scalar" : String.join("x", extents);
    return typed ? all + ":" + fact.type().name().toLowerCase(Locale.ROOT) : all;
  }

  /** Multiply-accumulates at so many times the declared batch; negative where not known. */
  long macs(long times) {
    NodeView view = view();
    operator().shape().apply(view);
    return operator().work().count(view).byClass().values().stream()
        .reduce(Amount.ZERO, Amount::plus)
        .at(new BatchScale(1, times));
  }

  LayerCounts foundLayers() {
    return operator().layers().count(view());
  }

  boolean hasBatch() {
    return inputs.stream()
        .anyMatch(each -> each != null && each.shape() != null && each.shape().scaling() != 0);
  }
}
