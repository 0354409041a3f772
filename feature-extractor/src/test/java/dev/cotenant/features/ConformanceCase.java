package dev.cotenant.features;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.StoredTensor;
import dev.cotenant.features.graph.ValueDeclaration;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.wire.WireInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One of ONNX's backend tests: a model, stored inputs and the outputs that they lead to. */
record ConformanceCase(Path folder, ModelGraph model, Graph undeclared) {
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

  static ConformanceCase of(Path folder) {
    ModelGraph model = READER.read(folder.resolve("model.onnx"));
    return new ConformanceCase(folder, model, withoutDeclarations(model.graph()));
  }

  /** The graph without what it says of its outputs, so that only what is derived counts. */
  private static Graph withoutDeclarations(Graph graph) {
    Graph.Builder builder = new Graph.Builder();
    graph.nodes().forEach(builder::node);
    graph.initializers().values().forEach(builder::initializer);
    graph.inputs().forEach(builder::input);
    graph
        .outputs()
        .forEach(name -> builder.output(new ValueDeclaration(name, ElementType.UNDEFINED, null)));
    return builder.build();
  }

  List<Finding> findings() throws IOException {
    Warnings warnings = new Warnings();
    InputBinding binding = new InputBinding(undeclared, GraphBinding.NONE, warnings);
    Scope scope = Scope.top();
    binding.bindTo(scope);
    bindStoredInputs(scope);
    Extraction extraction = new Extraction(model, binding, warnings);
    GraphWalk walk = new GraphWalk(extraction, undeclared, scope);
    Tally unused = walk.run();
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < undeclared.outputs().size(); i++) {
      findings.add(finding(i, walk.outputs().get(i), unused.operators()));
    }
    return findings;
  }

  private void bindStoredInputs(Scope scope) throws IOException {
    int index = 0;
    for (ValueDeclaration input : undeclared.inputs()) {
      if (undeclared.initializers().containsKey(input.name())) {
        continue;
      }
      StoredTensor stored = stored("input_" + index++, input);
      if (stored != null) {
        scope.put(input.name(), TensorFact.of(stored));
      }
    }
  }

  private @Nullable StoredTensor stored(String name, @Nullable ValueDeclaration declared)
      throws IOException {
    Path file = folder.resolve("test_data_set_0").resolve(name + ".pb");
    boolean isTensor = declared != null && declared.type() != ElementType.UNDEFINED;
    if (!isTensor || !Files.exists(file)) {
      return null;
    }
    WireInput in = WireInput.of(Files.readAllBytes(file), file.toString());
    StoredTensor tensor =
        TensorParser.parse(in, new ParseBudget(name, ReaderLimits.DEFAULT), in.size());
    // The data sets store bfloat16 as the unsigned integers of its bits.
    return tensor.type() == declared.type()
        ? tensor
        : new StoredTensor(tensor.name(), declared.type(), tensor.extents(), null, null);
  }

  private Finding finding(int index, TensorFact fact, int nodes) throws IOException {
    String output = undeclared.outputs().get(index);
    StoredTensor stored = stored("output_" + index, model.graph().declaration(output));
    String operator = nodes == 1 ? undeclared.nodes().getFirst().key() : "several nodes";
    return new Finding(
        operator,
        folder.getFileName().toString(),
        output,
        outcome(stored, fact),
        stored == null ? "no tensor" : stored.type() + " " + stored.extents(),
        fact.type() + " " + fact.shape() + contradiction(stored, fact));
  }

  private static Outcome outcome(@Nullable StoredTensor stored, TensorFact fact) {
    Shape shape = fact.shape();
    if (stored == null || shape == null || !shape.isKnown()) {
      return Outcome.UNKNOWN;
    }
    boolean equal =
        Arrays.stream(shape.extents()).boxed().toList().equals(stored.extents())
            && contradiction(stored, fact).isEmpty();
    return equal ? Outcome.EQUAL : Outcome.DIFFERENT;
  }

  /** What is wrong with elements or a type that were derived; empty when nothing is. */
  private static String contradiction(@Nullable StoredTensor stored, TensorFact fact) {
    if (stored == null) {
      return "";
    }
    if (fact.type() != stored.type()) {
      return " type";
    }
    KnownNumbers found = fact.numbers();
    List<Double> wanted = stored.numbers();
    if (found == null || wanted == null) {
      return "";
    }
    for (int i = 0; i < Math.min(found.size(), wanted.size()); i++) {
      double want = wanted.get(i);
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
