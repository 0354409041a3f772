package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EdgeModelsTest {
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);
  private static final FeatureExtractor EXTRACTOR = new FeatureExtractor();
  private static final Pattern CASE =
      Pattern.compile("\"file\": \"([^\"]+)\".*?\"expect\": \\{(.*?)\\}", Pattern.DOTALL);

  private static GraphFeatures extract(Path file) {
    return EXTRACTOR.extract(READER.read(file), GraphBinding.NONE);
  }

  private static Long number(String expectation, String... keys) {
    for (String key : keys) {
      Matcher matcher = Pattern.compile("\"" + key + "\": (\\d+)").matcher(expectation);
      if (matcher.find()) {
        return Long.valueOf(matcher.group(1));
      }
    }
    return null;
  }

  @Test
  void meetsEveryNumberOfTheManifest() throws IOException {
    Path folder = OutsideData.require("models/edge");
    Matcher cases = CASE.matcher(Files.readString(folder.resolve("manifest.json")));
    int checked = 0;
    while (cases.find()) {
      String expectation = cases.group(2);
      if (number(expectation, "macs", "macs_per_sample", "act") == null) {
        continue;
      }
      GraphFeatures features = extract(folder.resolve(cases.group(1)));
      check(
          cases.group(1),
          number(expectation, "macs", "macs_per_sample"),
          features.model().multiplyAccumulates());
      check(cases.group(1), number(expectation, "params"), features.model().parameters());
      check(
          cases.group(1),
          number(expectation, "weight_bytes"),
          features.model().modelSize().bytes());
      check(cases.group(1), number(expectation, "conv"), features.model().layers().convolution());
      check(cases.group(1), number(expectation, "linear"), features.model().layers().linear());
      check(cases.group(1), number(expectation, "act"), features.model().layers().activation());
      // one of the two nodes that may multiply is not known where an operator is not
      double known = expectation.contains("unknown op") ? 1 / 2.0 : 1;
      assertThat(features.shapeCoverage()).as(cases.group(1)).isEqualTo(known);
      checked++;
    }
    assertThat(checked).isGreaterThan(40);
  }

  private static void check(String file, Long expected, long actual) {
    if (expected != null) {
      assertThat(actual).as(file).isEqualTo(expected);
    }
  }

  @Test
  void endsWithAResultOrAnInputExceptionOnEveryFile() throws IOException {
    List<Path> files;
    try (var listed = Files.list(OutsideData.require("models/edge"))) {
      files = listed.sorted().toList();
    }
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      try {
        assertThat(extract(file).shapeCoverage()).as(file.toString()).isBetween(0.0, 1.0);
      } catch (InputException expected) {
        assertThat(expected.getMessage()).contains(file.toString()).doesNotContain("\n");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "hostile_empty.onnx, empty-file",
    "hostile_random.onnx, not-onnx",
    "hostile_text.onnx, not-onnx",
    "hostile_zip.onnx, not-onnx",
    "hostile_lenbomb.onnx, not-onnx",
    "hostile_deepnest.onnx, too-deep",
    "no-such-file.onnx, missing-file",
    "manifest.json, not-onnx",
  })
  void saysWhatIsWrongWithAFile(String file, String code) {
    Path path = OutsideData.require("models/edge").resolve(file);
    assertThatThrownBy(() -> READER.read(path))
        .isInstanceOfSatisfying(
            InputException.class, error -> assertThat(error.code()).isEqualTo(code));
  }

  @ParameterizedTest
  @CsvSource({
    "hostile_cycle.onnx, cycle",
    "hostile_dup_output.onnx, twice",
    "hostile_missing_input.onnx, nothing produces",
    "hostile_stride0.onnx, strides of 0",
    "hostile_recursive_function.onnx, calls itself",
    "unknown_domain.onnx, acme:MyOp",
    "ext_traversal.onnx, lies outside",
    "dim_missing.onnx, taken as 1",
  })
  void warnsOfWhatItCannotKnow(String file, String part) {
    GraphFeatures features = extract(OutsideData.require("models/edge").resolve(file));
    assertThat(features.warnings()).anyMatch(line -> line.contains(part));
  }
}
