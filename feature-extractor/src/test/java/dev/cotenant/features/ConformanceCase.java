package dev.cotenant.features;

import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.graph.ValueDeclaration;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.SequenceFact;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One of ONNX's backend tests: a model, stored inputs and the outputs that they lead to. */
record ConformanceCase(
    Path folder, ModelGraph model, Graph undeclared, Map<String, StoredValue.Kind> kinds) {
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);

  enum Outcome {
    EQUAL,
    UNKNOWN,
    DIFFERENT
  }

  record Finding(
      String operator,
      String test,
      String output,
      Outcome outcome,
      String expected,
      String found) {}

  static ConformanceCase of(Path folder) throws IOException {
    Path file = folder.resolve("model.onnx");
    byte[] undeclared = WithoutDeclarations.of(Files.readAllBytes(file));
    return new ConformanceCase(
        folder,
        READER.read(file),
        READER.read(undeclared, file.toString()).graph(),
        StoredValue.kinds(file));
  }

  /** Operators of the model's nodes, those of its subgraphs and functions included. */
  Set<String> operators() {
    Set<String> keys = new TreeSet<>();
    addOperators(model.graph(), keys);
    model.functions().values().forEach(function -> addOperators(function.body(), keys));
    return keys;
  }

  private static void addOperators(Graph graph, Set<String> keys) {
    for (Node node : graph.nodes()) {
      keys.add(node.key());
      for (Attribute attribute : node.attributes()) {
        if (attribute.graph() != null) {
          addOperators(attribute.graph(), keys);
        }
      }
    }
  }

  List<Finding> findings() throws IOException {
    GraphWarnings warnings = new GraphWarnings();
    InputBinding binding = new InputBinding(undeclared, GraphBinding.NONE, warnings);
    Scope scope = Scope.top(undeclared);
    binding.bindTo(scope);
    bindStoredInputs(scope);
    Extraction extraction = new Extraction(model, binding, warnings);
    GraphWalk walk = new GraphWalk(extraction, undeclared, scope);
    Tally unused = walk.run();
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < undeclared.outputCount(); i++) {
      findings.add(finding(i, walk.outputs().get(i), unused.operators()));
    }
    return findings;
  }

  private void bindStoredInputs(Scope scope) throws IOException {
    int index = 0;
    for (ValueDeclaration input : undeclared.inputs()) {
      if (undeclared.isStored(input.value())) {
        continue;
      }
      TensorFact stored =
          stored("input_" + index++, undeclared.valueName(input.value()), input.type());
      if (stored != null) {
        scope.put(input.value(), stored);
      }
    }
  }

  private @Nullable TensorFact stored(String file, String value, ElementType type)
      throws IOException {
    Path path = folder.resolve("test_data_set_0").resolve(file + ".pb");
    if (!Files.exists(path)) {
      return null;
    }
    StoredValue.Kind kind = kinds.getOrDefault(value, StoredValue.Kind.TENSOR);
    TensorFact stored = StoredValue.of(path, kind);
    // The data sets store bfloat16 as the unsigned integers of its bits.
    return stored == null || type == ElementType.UNDEFINED || stored.type() == type
        ? stored
        : TensorFact.of(type, stored.shape());
  }

  private Finding finding(int index, TensorFact fact, int nodes) throws IOException {
    String output = undeclared.valueName(undeclared.output(index));
    ValueDeclaration declared = model.graph().declaration(model.graph().value(output));
    ElementType type = declared == null ? ElementType.UNDEFINED : declared.type();
    TensorFact stored = stored("output_" + index, output, type);
    String operator = nodes == 1 ? undeclared.nodes().getFirst().key() : "several nodes";
    return new Finding(
        operator,
        folder.getFileName().toString(),
        output,
        outcome(stored, fact),
        describe(stored),
        describe(fact) + contradiction(stored, fact));
  }

  private static String describe(@Nullable TensorFact fact) {
    SequenceFact sequence = fact == null ? null : fact.sequence();
    List<TensorFact> elements = sequence == null ? null : sequence.elements();
    return fact == null
        ? "nothing"
        : elements == null
            ? fact.type() + " " + fact.shape()
            : elements.stream().map(ConformanceCase::describe).toList().toString();
  }

  private static Outcome outcome(@Nullable TensorFact stored, TensorFact fact) {
    if (stored == null) {
      return Outcome.UNKNOWN;
    }
    SequenceFact wanted = stored.sequence();
    SequenceFact found = fact.sequence();
    if (wanted != null && found != null) {
      return outcome(wanted.elements(), found.elements());
    }
    Shape shape = fact.shape();
    if (shape == null || !shape.isKnown()) {
      return Outcome.UNKNOWN;
    }
    boolean equal =
        stored.shape() != null
            && Arrays.equals(shape.extents(), stored.shape().extents())
            && contradiction(stored, fact).isEmpty();
    return equal ? Outcome.EQUAL : Outcome.DIFFERENT;
  }

  private static Outcome outcome(
      @Nullable List<TensorFact> wanted, @Nullable List<TensorFact> found) {
    if (wanted == null || found == null) {
      return Outcome.UNKNOWN;
    }
    if (wanted.size() != found.size()) {
      return Outcome.DIFFERENT;
    }
    Outcome worst = Outcome.EQUAL;
    for (int i = 0; i < wanted.size(); i++) {
      Outcome each = outcome(wanted.get(i), found.get(i));
      worst = each.compareTo(worst) > 0 ? each : worst;
    }
    return worst;
  }

  /** What is wrong with elements or a type that were derived; empty when nothing is. */
  private static String contradiction(@Nullable TensorFact stored, TensorFact fact) {
    if (stored == null || stored.sequence() != null) {
      return "";
    }
    if (fact.type() != stored.type()) {
      return " type";
    }
    KnownNumbers found = fact.numbers();
    KnownNumbers wanted = stored.numbers();
    if (found == null || wanted == null) {
      return "";
    }
    for (int i = 0; i < Math.min(found.size(), wanted.size()); i++) {
      double want = wanted.at(i);
      boolean same =
          Double.compare(found.at(i), want) == 0
              || Math.abs(found.at(i) - want) <= 1e-3 * Math.max(1, Math.abs(want));
      if (!same) {
        return " element " + i + " is " + found.at(i) + " instead of " + want;
      }
    }
    return "";
  }
}
