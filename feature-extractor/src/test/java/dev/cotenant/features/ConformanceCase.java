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

  static ConformanceCase of(Path folder) throws IOException {
    Path file = folder.resolve("model.onnx");
    byte[] undeclared = WithoutDeclarations.of(Files.readAllBytes(file));
    return new ConformanceCase(
        folder, READER.read(file), READER.read(undeclared, file.toString()).graph());
  }

  List<Finding> findings() throws IOException {
    Warnings warnings = new Warnings();
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
      StoredTensor stored = stored("input_" + index++, input);
      if (stored != null) {
        scope.put(input.value(), TensorFact.of(stored));
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
        new TensorParser(in, new ParseBudget(name, ReaderLimits.DEFAULT)).parse(in.size());
    // The data sets store bfloat16 as the unsigned integers of its bits.
    return tensor.type() == declared.type()
        ? tensor
        : StoredTensor.of(declared.type(), tensor.extents(), null);
  }

  private Finding finding(int index, TensorFact fact, int nodes) throws IOException {
    String output = undeclared.valueName(undeclared.output(index));
    Graph declared = model.graph();
    StoredTensor stored = stored("output_" + index, declared.declaration(declared.value(output)));
    String operator = nodes == 1 ? undeclared.nodes().getFirst().key() : "several nodes";
    return new Finding(
        operator,
        folder.getFileName().toString(),
        output,
        outcome(stored, fact),
        stored == null ? "no tensor" : stored.type() + " " + Arrays.toString(stored.extents()),
        fact.type() + " " + fact.shape() + contradiction(stored, fact));
  }

  private static Outcome outcome(@Nullable StoredTensor stored, TensorFact fact) {
    Shape shape = fact.shape();
    if (stored == null || shape == null || !shape.isKnown()) {
      return Outcome.UNKNOWN;
    }
    boolean equal =
        Arrays.equals(shape.extents(), stored.extents()) && contradiction(stored, fact).isEmpty();
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
    double[] wanted = stored.numbers();
    if (found == null || wanted == null) {
      return "";
    }
    for (int i = 0; i < Math.min(found.size(), wanted.length); i++) {
      double want = wanted[i];
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
