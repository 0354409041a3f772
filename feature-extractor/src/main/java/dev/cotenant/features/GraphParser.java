package dev.cotenant.features;

import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.Attributes;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.graph.LocalFunction;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.graph.StoredTensor;
import dev.cotenant.features.graph.ValueDeclaration;
import dev.cotenant.features.wire.WireInput;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code GraphProto}, {@code NodeProto} and {@code FunctionProto} [onnx.proto]. */
final class GraphParser {
  private static final ValueDeclaration UNDECLARED = ValueDeclaration.unknown(InternedNames.NONE);

  private final WireInput in;
  private final ParseBudget budget;
  private final List<String> externalLocations = new ArrayList<>();

  /** What many nodes share: operators, domains, names of attributes; each a string once. */
  private final InternedNames symbols = new InternedNames();

  private final List<String> symbolTexts = new ArrayList<>();

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
    budget.countGraph();
    Graph.Builder graph = new Graph.Builder();
    InternedNames values = graph.values();
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> graph.node(node(in.enter(end), depth, graph));
        case 2 -> text(end); // a name is of no use, but a damaged one damages the file
        case 5 -> {
          TensorParser tensor = new TensorParser(in, budget);
          StoredTensor parsed = note(tensor.parse(in.enter(end)));
          graph.initializer(number(values, tensor.name()), parsed);
        }
        case 11 -> graph.input(declaration(in.enter(end), values));
        case 12 -> graph.output(declaration(in.enter(end), values));
        case 13 -> graph.declaration(declaration(in.enter(end), values));
        case 15 -> {
          TensorParser tensor = new TensorParser(in, budget);
          StoredTensor parsed = note(tensor.parseSparse(in.enter(end)));
          graph.initializer(number(values, tensor.name()), parsed);
        }
        default -> in.skip(end);
      }
    }
    return graph.build();
  }

  private static int number(InternedNames values, String name) {
    return name.isEmpty() ? InternedNames.NONE : values.add(name);
  }

  LocalFunction function(long end) {
    budget.countGraph();
    Graph.Builder body = new Graph.Builder();
    InternedNames values = body.values();
    List<Attribute> defaults = new ArrayList<>();
    String name = "";
    String domain = "";
    String overload = "";
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> name = symbol(end);
        case 4 -> body.input(ValueDeclaration.unknown(value(end, values)));
        case 5 -> body.output(ValueDeclaration.unknown(value(end, values)));
        case 7 -> body.node(node(in.enter(end), 1, body));
        case 10 -> domain = symbol(end);
        case 11 -> defaults.add(attribute(in.enter(end), 1));
        case 12 -> body.declaration(declaration(in.enter(end), values));
        case 13 -> overload = symbol(end);
        default -> in.skip(end);
      }
    }
    String key = Node.key(domain, name, overload);
    return new LocalFunction(key, body.build(), Attributes.of(defaults));
  }

  private StoredTensor note(StoredTensor tensor) {
    String location = tensor.externalLocation();
    if (location != null) {
      externalLocations.add(location);
    }
    return tensor;
  }

  private Node node(long end, int depth, Graph.Builder graph) {
    budget.countNode();
    InternedNames values = graph.values();
    Node.Builder node = graph.node();
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> node.input(value(end, values));
        case 2 -> {
          node.output(value(end, values));
          budget.requireOutputs(node.outputCount());
        }
        case 3 -> label(end, node);
        case 4 -> node.operator(symbol(end));
        case 5 -> node.attribute(attribute(in.enter(end), depth));
        case 7 -> node.domain(symbol(end));
        case 8 -> node.overload(symbol(end));
        default -> in.skip(end);
      }
    }
    return node.build();
  }

  private void label(long end, Node.Builder node) {
    budget.countEntry();
    budget.countText(in.number(end, budget.textBytes(), node::label));
  }

  private Attribute attribute(long end, int depth) {
    budget.countEntry();
    Attribute.Builder attribute = new Attribute.Builder();
    String name = "";
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> name = symbol(end);
        case 2 -> attribute.number(in.floatNumber());
        case 3 -> attribute.integer(in.integer());
        case 4 -> attribute.text(shortText(end));
        case 5 -> attribute.tensor(note(new TensorParser(in, budget).parse(in.enter(end))));
        case 6 -> attribute.graph(body(in.enter(end), depth));
        case 7 ->
            in.fixedNumbers(
                end,
                4,
                bits -> {
                  if (mayList(attribute)) {
                    attribute.addNumber(Float.intBitsToFloat((int) bits));
                  }
                });
        case 8 ->
            in.integers(
                end,
                each -> {
                  if (mayList(attribute)) {
                    attribute.addInteger(each);
                  }
                });
        case 21 -> attribute.reference(symbol(end));
        default -> in.skip(end);
      }
    }
    return attribute.build(name);
  }

  /** Captured values are listed at every level of nesting. */
  private Graph body(long end, int depth) {
    Graph body = graph(end, depth + 1);
    budget.count(body.capturedCount());
    return body;
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

  private boolean mayList(Attribute.Builder attribute) {
    if (attribute.listed() == ParseBudget.KEPT_ELEMENTS * 64) {
      return false;
    }
    budget.countEntry();
    return true;
  }

  private ValueDeclaration declaration(long end, InternedNames values) {
    budget.countEntry();
    int value = InternedNames.NONE;
    ValueDeclaration type = UNDECLARED;
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> value = value(end, values);
        case 2 -> type = type(in.enter(end));
        default -> in.skip(end);
      }
    }
    return new ValueDeclaration(value, type.type(), type.dimensions());
  }

  private ValueDeclaration type(long end) {
    ValueDeclaration tensor = UNDECLARED;
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
    return new ValueDeclaration(InternedNames.NONE, element, dimensions);
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
        case 2 -> symbol = symbol(end);
        default -> in.skip(end);
      }
    }
    return new ValueDeclaration.Dimension(extent, symbol);
  }

  /** Number of the value that the current field names. */
  private int value(long end, InternedNames values) {
    budget.countEntry();
    int before = values.bytes();
    int value = in.number(end, budget.textBytes(), values::addOrNone);
    budget.countText(values.bytes() - before);
    return value;
  }

  private String symbol(long end) {
    budget.countEntry();
    int number = in.number(end, budget.textBytes(), symbols::add);
    if (number == symbolTexts.size()) {
      symbolTexts.add(symbols.text(number));
      budget.countText(symbolTexts.getLast().length());
    }
    return symbolTexts.get(number);
  }

  private String text(long end) {
    budget.countEntry();
    return in.text(end, budget.textBytes());
  }
}
