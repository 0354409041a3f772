package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OrtException;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.features.inference.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small models and those whose weights the graph makes up: every shape as ONNX Runtime runs it. */
class ExecutedSamplesTest {
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);

  @Test
  void agreesOnEverySmallModelThatRuns() throws IOException {
    List<Path> files;
    try (var listed = Files.list(OutsideData.require("models/edge"))) {
      files = listed.filter(ExecutedSamplesTest::isSample).sorted().toList();
    }
    int shapes = 0;
    List<String> refused = new ArrayList<>();
    for (Path file : files) {
      try {
        shapes += compare(file);
      } catch (OrtException refusal) {
        refused.add(file.getFileName() + ": " + refusal.getMessage());
      }
    }
    System.out.println(files.size() + " small models: " + shapes + " shapes as executed");
    // Weights that are not there, data outside of the folder, operators that nobody defines.
    assertThat(refused).hasSizeLessThan(files.size() / 4);
    assertThat(shapes).isGreaterThan(files.size());
  }

  private static boolean isSample(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".onnx") && !name.startsWith("hostile");
  }

  @ParameterizedTest
  @ValueSource(strings = {"squeezenet", "shufflenet", "inception_v2", "densenet121"})
  void agreesOnAnArchitecture(String model) throws IOException, OrtException {
    int shapes = compare(OutsideData.require("models/light/light_" + model + ".onnx"));
    assertThat(shapes).isGreaterThan(50);
    System.out.println(model + ": " + shapes + " shapes as executed");
  }

  private static int compare(Path file) throws IOException, OrtException {
    byte[] content = Files.readAllBytes(file);
    ModelGraph model = READER.read(content, file.toString());
    Map<String, long[]> executed = ExecutedShapes.of(content, Map.of());
    Map<String, Shape> derived = DerivedShapes.of(model, Map.of());
    executed.forEach((name, extents) -> {
      assertThat(derived.get(name)).as("%s of %s", name, file).isNotNull();
      assertThat(derived.get(name).extents()).as("%s of %s", name, file).isEqualTo(extents);
    });
    return executed.size();
  }
}
