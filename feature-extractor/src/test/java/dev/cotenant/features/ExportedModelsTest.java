package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExportedModelsTest {
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);
  private static final FeatureExtractor EXTRACTOR = new FeatureExtractor();

  private record Oracle(long macs, long parameters) {}

  private static ModelGraph read(String name) {
    return READER.read(OutsideData.require("models/" + name));
  }

  private static GraphFeatures extract(String name, GraphBinding binding) {
    return EXTRACTOR.extract(read(name), binding);
  }

  /** BERT was exported with a symbolic sequence, which the oracle takes as 128. */
  private static GraphBinding batchOf(Path file, int size) {
    boolean hasSequence = file.toString().endsWith("bert_base_128.dyn.onnx");
    return new GraphBinding(size, hasSequence ? Map.of("seq", 128) : Map.of());
  }

  private static Map<String, Oracle> oracle() throws IOException {
    Path file = OutsideData.require("models/flops_oracle.csv");
    Map<String, Oracle> rows = new TreeMap<>();
    for (String line : Files.readAllLines(file)) {
      String[] cells = line.split(",", -1);
      if (cells[1].equals("exact-from-exported-onnx")) {
        long macs = new BigDecimal(cells[2]).movePointRight(9).longValueExact();
        rows.put(
            cells[0], new Oracle(macs, new BigDecimal(cells[3]).movePointRight(6).longValue()));
      }
    }
    rows.put("bert_base_128", new Oracle(11_174_215_680L, 109_445_376));
    return rows;
  }

  @Test
  void countsEveryExportedModelToTheLastDigitAtEveryBatch() throws IOException {
    Path folder = OutsideData.require("models/torchvision");
    Map<String, Oracle> oracle = oracle();
    List<Path> files;
    try (var listed = Files.list(folder)) {
      files = listed.filter(file -> file.toString().endsWith(".onnx")).sorted().toList();
    }
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      String model = file.getFileName().toString().split("\\.", -1)[0];
      Oracle row = oracle.get(model);
      ModelGraph graph = READER.read(file);
      GraphFeatures one = EXTRACTOR.extract(graph, batchOf(file, 1));
      GraphFeatures many = EXTRACTOR.extract(graph, batchOf(file, 24));
      assertThat(one.model().multiplyAccumulates()).as(file.toString()).isEqualTo(row.macs);
      assertThat(one.shapeCoverage()).as(file.toString()).isEqualTo(1.0);
      assertThat(one.model().parameters()).as(file.toString()).isEqualTo(row.parameters);
      assertThat(many.model().multiplyAccumulates()).as(file.toString()).isEqualTo(24 * row.macs);
      assertThat(many.model().activations().bytes())
          .as(file.toString())
          .isEqualTo(24 * one.model().activations().bytes());
      assertThat(one.warnings()).as(file.toString()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "resnet50.b1, 53, 1, 49, 55",
    "alexnet.b1, 5, 3, 7, 4",
    "vgg16.b1, 13, 3, 15, 6",
    "mobilenet_v2.b1, 52, 1, 35, 53",
    "bert_base_128.b1, 0, 73, 25, 28",
    "vit_b_32.b1, 1, 49, 24, 25",
  })
  void countsLayersAsTheModulesOfTheModel(
      String file, int convolution, int linear, int activation, int other) {
    GraphFeatures features = extract("torchvision/" + file + ".onnx", GraphBinding.NONE);
    assertThat(features.model().layers())
        .isEqualTo(new LayerCounts(convolution, linear, activation, other));
  }

  @ParameterizedTest
  @ValueSource(strings = {"resnet50", "alexnet", "shufflenet_v2_x1_0", "swin_t", "bert_base_128"})
  void agreesBetweenStaticAndDynamicBatch(String model) {
    Path fixedFile = OutsideData.require("models/torchvision/" + model + ".b1.onnx");
    Path dynamicFile = OutsideData.require("models/torchvision/" + model + ".dyn.onnx");
    GraphFeatures fixed = EXTRACTOR.extract(READER.read(fixedFile), batchOf(fixedFile, 3));
    GraphFeatures dynamic = EXTRACTOR.extract(READER.read(dynamicFile), batchOf(dynamicFile, 3));
    assertThat(dynamic.model()).isEqualTo(fixed.model());
  }

  @Test
  void countsEveryArchitectureWithMadeUpWeightsToTheLastDigit() throws IOException {
    Map<String, Long> rows = new TreeMap<>();
    for (String line : Files.readAllLines(OutsideData.require("models/flops_oracle.csv"))) {
      String[] cells = line.split(",", -1);
      if (cells[1].equals("ort-executed-shapes") && cells[0].startsWith("light_")) {
        rows.put(cells[0], new BigDecimal(cells[2]).movePointRight(9).longValueExact());
      }
    }
    assertThat(rows).hasSize(9);
    rows.forEach((model, macs) -> {
      GraphFeatures features = extract("light/" + model + ".onnx", GraphBinding.NONE);
      assertThat(features.model().multiplyAccumulates()).as(model).isEqualTo(macs);
      assertThat(features.shapeCoverage()).as(model).isEqualTo(1.0);
    });
  }

  @ParameterizedTest
  @CsvSource({
    "light_bvlc_alexnet, 60965224",
    "light_resnet50, 25610153",
    "light_vgg19, 143667240",
    "light_squeezenet, 1235496",
  })
  void countsWeightsThatNodesMakeUp(String model, long parameters) {
    GraphFeatures features = extract("light/" + model + ".onnx", GraphBinding.NONE);
    assertThat(features.shapeCoverage()).isEqualTo(1.0);
    assertThat(features.model().parameters()).isEqualTo(parameters);
  }
}
