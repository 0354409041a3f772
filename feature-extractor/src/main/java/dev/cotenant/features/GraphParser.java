package dev.cotenant.features;

import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.LocalFunction;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.graph.StoredTensor;
import dev.cotenant.features.graph.ValueDeclaration;
import dev.cotenant.features.wire.WireInput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads {@code GraphProto}, {@code NodeProto} and {@code FunctionProto} [onnx.proto]. */
final class GraphParser {
  private final WireInput in;
  private final ParseBudget budget;
  private final List<String> externalLocations = new ArrayList<>();

  GraphParser(WireInput in, ParseBudget budget) {
    this.in = in;
    this.budget = budget;
  }

  /** Where stored tensors say that their data lies outside of the file. */
  List<String> externalLocations() {
    return externalLocations;
  }

  Graph graph(long end, int depth) {
    budget.requireDepth(depth);
    Graph.Builder graph = new Graph.Builder();
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> graph.node(node(in.enter(end), depth));
        case 2 -> graph.name(text(end));
        case 5 -> graph.initializer(note(TensorParser.parse(in, budget, in.enter(end))));
        case 11 -> graph.input(declaration(in.enter(end)));
        case 12 -> graph.output(declaration(in.enter(end)));
        case 13 -> graph.declaration(declaration(in.enter(end)));
        case 15 -> graph.initializer(note(TensorParser.parseSparse(in, budget, in.enter(end))));
        default -> in.skip(end);
      }
    }
    return graph.build();
  }

  LocalFunction function(long end) {
    Graph.Builder body = new Graph.Builder();
    List<String> inputs = new ArrayList<>();
    Map<String, Attribute> defaults = new HashMap<>();
    String name = "";
    String domain = "";
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> name = text(end);
        case 4 -> inputs.add(text(end));
        case 5 -> body.output(new ValueDeclaration(text(end), ElementType.UNDEFINED, null));
        case 7 -> body.node(node(in.enter(end), 1));
        case 10 -> domain = text(end);
        case 11 -> {
          Attribute attribute = attribute(in.enter(end), 1);
          defaults.put(attribute.name(), attribute);
        }
        case 12 -> body.declaration(declaration(in.enter(end)));
        default -> in.skip(end);
      }
    }
    inputs.forEach(input -> body.input(new ValueDeclaration(input, ElementType.UNDEFINED, null)));
    String key = new Node("", domain, name, List.of(), List.of(), Map.of()).key();
    return new LocalFunction(key, inputs, body.name(name).build(), defaults);
  }

  private StoredTensor note(StoredTensor tensor) {
    String location = tensor.externalLocation();
    if (location != null) {
      externalLocations.add(location);
    }
    return tensor;
  }

  private Node node(long end, int depth) {
    budget.countNode();
    List<String> inputs = new ArrayList<>(4);
    List<String> outputs = new ArrayList<>(1);
    Map<String, Attribute> attributes = Map.of();
    String name = "";
    String operator = "";
    String domain = "";
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> inputs.add(text(end));
        case 2 -> outputs.add(text(end));
        case 3 -> name = text(end);
        case 4 -> operator = text(end);
        case 5 -> {
          Attribute attribute = attribute(in.enter(end), depth);
          attributes = attributes.isEmpty() ? new HashMap<>() : attributes;
          attributes.put(attribute.name(), attribute);
        }
        case 7 -> domain = text(end);
        default -> in.skip(end);
      }
    }
    return new Node(name, domain, operator, inputs, outputs, attributes);
  }

  private Attribute attribute(long end, int depth) {
    budget.countEntry();
    List<Long> integers = new ArrayList<>();
    List<Double> numbers = new ArrayList<>();
    String name = "";
    String text = "";
    String reference = null;
    long integer = 0;
    double number = 0;
    StoredTensor tensor = null;
    Graph graph = null;
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> name = text(end);
        case 2 -> number = in.floatNumber();
        case 3 -> integer = in.integer();
        case 4 -> text = shortText(end);
        case 5 -> tensor = note(TensorParser.parse(in, budget, in.enter(end)));
        case 6 -> graph = graph(in.enter(end), depth + 1);
        case 7 ->
            in.fixedNumbers(
                end, 4, bits -> keep(numbers, (double) Float.intBitsToFloat((int) bits)));
        case 8 -> in.integers(end, each -> keep(integers, each));
        case 21 -> reference = text(end);
        default -> in.skip(end);
      }
    }
    return new Attribute(name, integer, number, text, integers, numbers, tensor, graph, reference);
  }

  /** An attribute's text where it can matter; long ones are opaque payloads of other engines. */
  private String shortText(long end) {
    long before = in.position();
    if (in.skipBytes(end) > budget.textBytes()) {
      return "";
    }
    in.moveTo(before);
    return in.text(end, budget.textBytes());
  }

  private <T> void keep(List<T> list, T value) {
    if (list.size() < ParseBudget.KEPT_ELEMENTS * 64) {
      budget.countEntry();
      list.add(value);
    }
  }

  private ValueDeclaration declaration(long end) {
    budget.countEntry();
    String name = "";
    ValueDeclaration type = new ValueDeclaration("", ElementType.UNDEFINED, null);
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> name = text(end);
        case 2 -> type = type(in.enter(end));
        default -> in.skip(end);
      }
    }
    return new ValueDeclaration(name, type.type(), type.dimensions());
  }

  private ValueDeclaration type(long end) {
    ValueDeclaration tensor = new ValueDeclaration("", ElementType.UNDEFINED, null);
    while (in.nextField(end)) {
      if (in.field() == 1) {
        tensor = tensorType(in.enter(end));
      } else {
        in.skip(end);
      }
    }
    return tensor;
  }

  private ValueDeclaration tensorType(long end) {
    ElementType element = ElementType.UNDEFINED;
    List<ValueDeclaration.Dimension> dimensions = null;
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> element = ElementType.of(in.integer());
        case 2 -> dimensions = shape(in.enter(end));
        default -> in.skip(end);
      }
    }
    return new ValueDeclaration("", element, dimensions);
  }

  private List<ValueDeclaration.Dimension> shape(long end) {
    List<ValueDeclaration.Dimension> dimensions = new ArrayList<>(4);
    while (in.nextField(end)) {
      if (in.field() != 1) {
        in.skip(end);
        continue;
      }
      if (dimensions.size() == TensorParser.MAX_RANK) {
        throw in.damaged("a value has more than " + TensorParser.MAX_RANK + " dimensions");
      }
      dimensions.add(dimension(in.enter(end)));
    }
    return dimensions;
  }

  private ValueDeclaration.Dimension dimension(long end) {
    long extent = 0;
    String symbol = "";
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> extent = in.integer();
        case 2 -> symbol = text(end);
        default -> in.skip(end);
      }
    }
    return new ValueDeclaration.Dimension(extent, symbol);
  }

  private String text(long end) {
    budget.countEntry();
    return in.text(end, budget.textBytes());
  }
}
