package dev.cotenant.features;

import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.graph.ValueDeclaration;
import dev.cotenant.features.graph.ValueDeclaration.Dimension;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Shapes of the graph's inputs at the declared batch, and which of their axes are the batch.
 *
 * <p>The batch is the axis whose symbol says so; else a first axis that is not fixed and does not
 * look like a sequence; else, in a static graph, the first axis of the first input with two axes or
 * more (the second, when it feeds a recurrent layer) and of every input that agrees with it.
 */
final class InputBinding {
  private static final Pattern BATCH = Pattern.compile("(?i).*batch.*|n|b|bs|bsz", Pattern.DOTALL);
  private static final Pattern SEQUENCE =
      Pattern.compile(
          "(?i).*(seq|len|time|frame|token|step|height|width|sample).*", Pattern.DOTALL);
  private static final Set<String> RECURRENT = Set.of("LSTM", "GRU", "RNN");

  private final GraphBinding binding;
  private final GraphWarnings warnings;
  private final Graph graph;
  private final List<ValueDeclaration> inputs;
  private final BitSet stepFirst = new BitSet();
  private final Set<String> batchSymbols = new HashSet<>();
  private final Map<Integer, Integer> batchAxes = new HashMap<>();
  private final Set<String> used = new HashSet<>();
  private Amount bytes = Amount.ZERO;
  private long declaredBatch = 1;

  InputBinding(Graph graph, GraphBinding binding, GraphWarnings warnings) {
    this.graph = graph;
    this.binding = binding;
    this.warnings = warnings;
    inputs = graph.inputs().stream().filter(in -> !graph.isStored(in.value())).toList();
    for (Node node : graph.nodes()) {
      Attribute layout = node.attributes().find("layout");
      boolean stepsFirst =
          RECURRENT.contains(node.operator()) && (layout == null || layout.integer() == 0);
      if (stepsFirst && node.input(0) != InternedNames.NONE) {
        stepFirst.set(node.input(0));
      }
    }
    if (!findSymbolicBatch()) {
      findStaticBatch();
    }
  }

  private boolean feedsSteps(ValueDeclaration input) {
    return input.value() != InternedNames.NONE && stepFirst.get(input.value());
  }

  private String name(ValueDeclaration input) {
    return input.value() == InternedNames.NONE ? "" : graph.valueName(input.value());
  }

  /** Batch at which the shapes are given. */
  long declaredBatch() {
    return declaredBatch;
  }

  boolean hasBatch() {
    return !batchAxes.isEmpty();
  }

  /** Bytes of all inputs whose shapes are known, once they are bound. */
  Amount bytes() {
    return bytes;
  }

  /** Puts a fact for every input into the scope. */
  void bindTo(Scope scope) {
    for (ValueDeclaration input : inputs) {
      TensorFact fact = fact(input);
      scope.put(input.value(), fact);
      bytes = bytes.plus(Lowering.bytes(fact));
      Integer axis = batchAxes.get(input.value());
      if (axis != null && axis > 0) {
        warnings.add("the batch axis of input " + name(input) + " is axis " + axis);
      }
    }
    for (String name : binding.dimensions().keySet().stream().sorted().toList()) {
      if (!used.contains(name)) {
        warnings.add("dimension " + name + " was given but no input has it");
      }
    }
  }

  private boolean findSymbolicBatch() {
    boolean found = false;
    for (ValueDeclaration input : inputs) {
      int axis = symbolicBatchAxis(input);
      if (axis >= 0) {
        Dimension dimension = dimensions(input).get(axis);
        batchAxes.put(input.value(), axis);
        if (!dimension.symbol().isEmpty()) {
          batchSymbols.add(dimension.symbol());
        }
        Integer given = given(input, axis);
        declaredBatch = given != null && !found ? given : declaredBatch;
        found = true;
      }
    }
    return found;
  }

  private int symbolicBatchAxis(ValueDeclaration input) {
    List<Dimension> dimensions = dimensions(input);
    for (int i = 0; i < dimensions.size(); i++) {
      if (BATCH.matcher(dimensions.get(i).symbol()).matches()) {
        return i;
      }
    }
    boolean free =
        !dimensions.isEmpty()
            && !dimensions.getFirst().isFixed()
            && given(input, 0) == null
            && !SEQUENCE.matcher(dimensions.getFirst().symbol()).matches();
    return free && !feedsSteps(input) ? 0 : -1;
  }

  private void findStaticBatch() {
    for (ValueDeclaration input : inputs) {
      List<Dimension> dimensions = dimensions(input);
      int axis = feedsSteps(input) ? 1 : 0;
      if (dimensions.size() < 2 || !dimensions.get(axis).isFixed()) {
        continue;
      }
      long extent = dimensions.get(axis).extent();
      if (batchAxes.isEmpty()) {
        declaredBatch = extent;
      }
      if (extent == declaredBatch) {
        batchAxes.put(input.value(), axis);
      }
    }
  }

  private static List<Dimension> dimensions(ValueDeclaration input) {
    List<Dimension> dimensions = input.dimensions();
    return dimensions == null ? List.of() : dimensions;
  }

  private @Nullable Integer given(ValueDeclaration input, int axis) {
    for (String key : List.of(name(input) + "." + axis, dimensions(input).get(axis).symbol())) {
      Integer extent = binding.dimensions().get(key);
      if (extent != null) {
        used.add(key);
        return extent;
      }
    }
    return null;
  }

  private TensorFact fact(ValueDeclaration input) {
    List<Dimension> dimensions = input.dimensions();
    if (dimensions == null) {
      boolean isTensor = input.type() != ElementType.UNDEFINED;
      if (isTensor) {
        warnings.add("input " + name(input) + " declares no shape");
      }
      return TensorFact.unknown(input.type());
    }
    Integer batchAxis = batchAxes.get(input.value());
    Shape.Builder shape = new Shape.Builder(dimensions.size());
    for (int i = 0; i < dimensions.size(); i++) {
      boolean isBatch =
          (batchAxis != null && batchAxis == i)
              || batchSymbols.contains(dimensions.get(i).symbol());
      shape.add(isBatch ? declaredBatch : extent(input, i), isBatch);
    }
    return TensorFact.of(input.type(), shape.build());
  }

  private long extent(ValueDeclaration input, int axis) {
    Dimension dimension = dimensions(input).get(axis);
    if (dimension.isFixed()) {
      return dimension.extent();
    }
    Integer given = given(input, axis);
    if (given != null) {
      return given;
    }
    boolean named = !dimension.symbol().isEmpty();
    String name = named ? dimension.symbol() : name(input) + "." + axis;
    warnings.add(
        named
            ? "dimension " + name + " is symbolic and was taken as 1; give " + name + "=N"
            : "axis "
                + axis
                + " of input "
                + name(input)
                + " has no extent and was taken as 1; give "
                + name
                + "=N");
    return 1;
  }

  /** A declared inner value at the declared batch; what is symbolic and not bound stays unknown. */
  TensorFact declared(ValueDeclaration value) {
    List<Dimension> dimensions = value.dimensions();
    if (dimensions == null) {
      return TensorFact.unknown(value.type());
    }
    Shape.Builder shape = new Shape.Builder(dimensions.size());
    for (int i = 0; i < dimensions.size(); i++) {
      Dimension dimension = dimensions.get(i);
      boolean first = i == 0 && dimensions.size() > 1 && hasBatch();
      if (batchSymbols.contains(dimension.symbol())) {
        shape.add(declaredBatch, true);
      } else if (dimension.isFixed()) {
        shape.add(dimension.extent(), first && dimension.extent() == declaredBatch);
      } else {
        Integer given = binding.dimensions().get(dimension.symbol());
        shape.add(given == null ? Shape.UNKNOWN : given, false);
      }
    }
    return TensorFact.of(value.type(), shape.build());
  }
}
