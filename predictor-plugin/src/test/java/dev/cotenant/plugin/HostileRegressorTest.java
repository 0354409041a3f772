package dev.cotenant.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.predictor.plugin.RegressorLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostileRegressorTest {
  private static final String ONE = "[{feature: batch_size}]";
  private static final OnnxBytes GOOD = OnnxBytes.stump(16, 20, 60);

  @TempDir private Path folder;

  private void refuses(Path manifest, String code, String... words) {
    assertThatThrownBy(
            () -> new OnnxRegressorLoader().load(manifest, DeviceCatalogue.builtIn()).close())
        .isInstanceOfSatisfying(
            InputException.class,
            e -> {
              assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
              assertThat(e.getMessage()).contains(words).doesNotContain("\n");
            });
  }

  private Path written(OnnxBytes model, String inputs) {
    return new RegressorFolder(folder)
        .write(model, inputs, "utilization_percent", RegressorFolder.OFFSET);
  }

  private Path good() {
    return new RegressorFolder(folder).write(GOOD);
  }

  private Path edited(String from, String to) throws IOException {
    Path manifest = good();
    String text = Files.readString(manifest);
    assertThat(text).contains(from);
    return Files.writeString(manifest, text.replace(from, to));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "format: 1 | format: 2 | format must be 1",
        "name: mine | name: ../mine | name must be",
        "name: mine | nam: mine | 'nam' is unknown",
        "sha256: | sha256: x | sha256 must be 64",
        "batch_size | batch | feature must be one of multiply_accumulates",
        "scale: log1p | scale: log2 | scale must be plain or log1p",
        "[a100-40gb] | [a100-41gb] | devices names 'a100-41gb'",
        "[a100-40gb] | [] | devices must be a list",
        "devices: | modes: [sleeping]\\ndevices: | modes contains an invalid value",
        "utilization_percent | occupancy | answers must be one of utilization_percent",
        "log_offset: 0.5 | log_offset: -1 | log_offset must be at least 0",
        "log_offset: 0.5 | log_offset: 21 | log_offset must be at least 0 and at most 20",
        "log_offset: 0.5 | log_offset: 1.0e+308 | log_offset must be at least 0 and at most 20",
        "model: model.onnx | model: a b.onnx | model must be a file name",
        "model: model.onnx | model: ../model.onnx | model must be a file name",
        "log_offset: 0.5 | log_offset: .nan | log_offset must be at least 0",
        "log_offset: 0.5, | `` | output or log_offset must be given",
        "log_offset: 0.5 | log_offset: 0.5, output: y | output or log_offset must be given",
        "coverage: 0.9 | coverage: 90 | coverage must lie between 0 and 1",
        "format: 1 | format: [1 | is not valid YAML",
        "format: 1 | format: 1\\nformat: 1 | is not valid YAML",
        "format: 1 | format: !!javax.script.ScriptEngineManager [] | is not valid YAML",
      })
  void namesTheEntryThatIsWrong(String from, String to, String message) throws IOException {
    refuses(edited(from, to.replace("\\n", "\n")), "bad-manifest", message, "manifest.yaml");
  }

  @Test
  void refusesAManifestThatIsNone() throws IOException {
    refuses(folder.resolve("absent.yaml"), "file-not-found", "absent.yaml");
    refuses(Files.writeString(folder.resolve("a.yaml"), ""), "bad-manifest", "a.yaml");
    refuses(Files.writeString(folder.resolve("b.yaml"), "- 1"), "bad-manifest", "b.yaml");
    refuses(Files.write(folder.resolve("c.yaml"), new byte[65_537]), "file-too-large", "c.yaml");
  }

  @Test
  void refusesAModelThatIsMissingChangedOrElsewhere() throws IOException {
    refuses(edited("model.onnx", "gone.onnx"), "file-not-found", "gone.onnx");
    refuses(edited("model.onnx", ".."), "regressor-outside-folder", "'..'");
    Path manifest = good();
    Files.write(folder.resolve("model.onnx"), OnnxBytes.stump(16, 20, 61).toByteArray());
    refuses(manifest, "regressor-hash-mismatch", "sha256", "model.onnx");
  }

  @Test
  void refusesALinkOutOfTheFolder(@TempDir Path elsewhere) throws IOException {
    Path outside = Files.write(elsewhere.resolve("other.onnx"), GOOD.toByteArray());
    Path manifest = good();
    Files.delete(folder.resolve("model.onnx"));
    Files.createSymbolicLink(folder.resolve("model.onnx"), outside);
    refuses(manifest, "regressor-outside-folder", "model.onnx");
  }

  @Test
  void refusesGraphsThatTakeSomethingElse() {
    refuses(written(GOOD, ONE), "regressor-unsuitable", "one row of the manifest's 1 inputs");
    OnnxBytes text =
        OnnxBytes.graph()
            .message(1, OnnxBytes.node("Identity", "", "x", "y"))
            .message(11, OnnxBytes.value(8, "x", 1, 1))
            .message(12, OnnxBytes.value(8, "y", 1, 1));
    refuses(written(OnnxBytes.model(text), ONE), "regressor-unsuitable", "floats or doubles");
    OnnxBytes flat =
        OnnxBytes.graph()
            .message(1, OnnxBytes.node("Identity", "", "x", "y"))
            .message(11, OnnxBytes.value("x", 1))
            .message(12, OnnxBytes.value("y", 1));
    refuses(written(OnnxBytes.model(flat), ONE), "regressor-unsuitable", "shape [1]");
    OnnxBytes wide =
        OnnxBytes.graph()
            .message(1, OnnxBytes.node("Identity", "", "x", "y"))
            .message(11, OnnxBytes.value("x", 1, 2))
            .message(12, OnnxBytes.value("y", 1, 2));
    refuses(
        written(OnnxBytes.model(wide), RegressorFolder.INPUTS),
        "regressor-unsuitable",
        "one number a row");
    OnnxBytes two =
        OnnxBytes.graph()
            .message(1, new OnnxBytes().text(1, "x").text(1, "w").text(2, "y").text(4, "Add"))
            .message(11, OnnxBytes.value("x", 1, 1))
            .message(11, OnnxBytes.value("w", 1, 1))
            .message(12, OnnxBytes.value("y", 1, 1));
    refuses(written(OnnxBytes.model(two), ONE), "regressor-unsuitable", "one input, has 2");
  }

  @Test
  void refusesAnOutputThatIsNotThere() throws IOException {
    refuses(
        edited("output: {", "output: {name: z, "), "regressor-unsuitable", "no output 'z'", "y");
    refuses(edited("log_offset: 0.5", "output: z"), "regressor-unsuitable", "no output 'z'", "y");
  }

  @Test
  void refusesAnswersThatAreNoNumbers() {
    // √ of a negative number, and division by zero.
    OnnxBytes graph =
        OnnxBytes.graph()
            .message(1, OnnxBytes.node("Neg", "", "x", "n"))
            .message(1, OnnxBytes.node("Sqrt", "", "n", "y"))
            .message(11, OnnxBytes.value("x", 1, 1))
            .message(12, OnnxBytes.value("y", 1, 1));
    refuses(written(OnnxBytes.model(graph), ONE), "regressor-not-finite", "NaN");
  }

  @Test
  void refusesDataInOtherFilesWhereverTheyAreNamed() throws IOException {
    Files.write(folder.resolve("w.bin"), new byte[4]);
    OnnxBytes location = new OnnxBytes().text(1, "location").text(2, "w.bin");
    OnnxBytes tensor =
        new OnnxBytes()
            .integer(1, 1)
            .integer(1, 1)
            .integer(2, 1)
            .text(8, "w")
            .message(13, location)
            .integer(14, 1);
    OnnxBytes initializer =
        OnnxBytes.graph()
            .message(1, OnnxBytes.node("Identity", "", "w", "y"))
            .message(5, tensor)
            .message(11, OnnxBytes.value("x", 1, 1))
            .message(12, OnnxBytes.value("y", 1, 1));
    OnnxBytes constant =
        OnnxBytes.graph()
            .message(
                1,
                new OnnxBytes()
                    .text(2, "y")
                    .text(4, "Constant")
                    .message(5, new OnnxBytes().text(1, "value").message(5, tensor).integer(20, 4)))
            .message(11, OnnxBytes.value("x", 1, 1))
            .message(12, OnnxBytes.value("y", 1, 1));
    OnnxBytes sparse =
        OnnxBytes.graph()
            .message(1, OnnxBytes.node("Identity", "", "w", "y"))
            .message(15, new OnnxBytes().message(1, tensor))
            .message(11, OnnxBytes.value("x", 1, 1))
            .message(12, OnnxBytes.value("y", 1, 1));
    refuses(written(OnnxBytes.model(initializer), ONE), "regressor-not-allowed", "the field 13");
    refuses(written(OnnxBytes.model(constant), ONE), "regressor-not-allowed", "'Constant'");
    refuses(written(OnnxBytes.model(sparse), ONE), "regressor-not-allowed", "the field 15");
  }

  @Test
  void refusesForeignOperatorsFunctionsAndLoops() {
    refuses(
        written(OnnxBytes.unary("Gelu", "com.microsoft"), ONE),
        "regressor-not-allowed",
        "'com.microsoft.Gelu'");
    refuses(
        written(OnnxBytes.unary("Abs", "").message(25, new OnnxBytes().text(1, "f")), ONE),
        "regressor-not-allowed",
        "the field 25");
    OnnxBytes loop =
        OnnxBytes.node("Loop", "", "x", "y")
            .message(5, new OnnxBytes().text(1, "body").message(6, OnnxBytes.graph()));
    refuses(
        written(OnnxBytes.model(OnnxBytes.graph().message(1, loop)), ONE),
        "regressor-not-allowed",
        "the field 6 of type 2 in a message ATTRIBUTE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ConstantOfShape", "Expand", "Tile", "Range", "RandomNormalLike"})
  void refusesOperatorsThatMakeLargeTensorsOfSmallOnes(String operator) {
    refuses(written(OnnxBytes.unary(operator, ""), ONE), "regressor-not-allowed", operator);
  }

  private static OnnxBytes row(OnnxBytes graph) {
    return OnnxBytes.model(
        graph.message(11, OnnxBytes.value("x", 1, 1)).message(12, OnnxBytes.value("y", 1, 1)));
  }

  private static OnnxBytes zeros(String name, int... extents) {
    OnnxBytes tensor = new OnnxBytes();
    int size = Float.BYTES;
    for (int extent : extents) {
      tensor.integer(1, extent);
      size *= extent;
    }
    return tensor.integer(2, 1).raw(9, new byte[size]).text(8, name);
  }

  private static OnnxBytes binary(String operator, String left, String right, String output) {
    return new OnnxBytes().text(1, left).text(1, right).text(2, output).text(4, operator);
  }

  /** 250 products with the same 2000 × 2000 matrix: 10⁹ operations in a file of 16 MB. */
  @Test
  void refusesAModelThatIsTooSlowForDecisions() {
    OnnxBytes graph =
        OnnxBytes.graph()
            .message(5, zeros("w", 2000, 2000))
            .message(5, zeros("first", 1, 2000))
            .message(5, zeros("last", 2000, 1))
            .message(1, binary("Add", "x", "first", "t0"));
    for (int i = 0; i < 250; i++) {
      graph.message(1, binary("MatMul", "t" + i, "w", "t" + (i + 1)));
    }
    graph.message(1, binary("MatMul", "t250", "last", "y"));
    refuses(written(row(graph), ONE), "regressor-too-slow", "longer than");
  }

  /** Protobuf truncates tags and enums to 32 bits. */
  @Test
  void refusesEncodingsThatOtherParsersReadDifferently() {
    OnnxBytes constant = zeros("w", 1);
    for (OnnxBytes tensor :
        new OnnxBytes[] {
          zeros("w", 1).integer(14, (1L << 32) + 1), zeros("w", 1).integer(14, 0x1_0000_0000L)
        }) {
      OnnxBytes graph =
          OnnxBytes.graph().message(5, tensor).message(1, binary("Add", "x", "w", "y"));
      refuses(written(row(graph), ONE), "not-onnx", "not an ONNX model");
    }
    OnnxBytes shifted =
        OnnxBytes.graph().message(5, constant.tag(((1L << 32) | (13 << 3)) | 2).tag(0));
    refuses(
        written(row(shifted.message(1, binary("Add", "x", "w", "y"))), ONE),
        "not-onnx",
        "not an ONNX model");
    byte[] padded = {(byte) 0x88, 0, 8};
    assertThatThrownBy(() -> GraphGuard.check(padded, "padded", 1))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("not-onnx"));
  }

  @Test
  void refusesFieldsThatARegressorDoesNotNeedAndSingularFieldsTwice() {
    OnnxBytes node = binary("Add", "x", "x", "y");
    refuses(
        written(row(OnnxBytes.graph().message(1, node.text(4, "Loop"))), ONE),
        "regressor-not-allowed",
        "the field 4");
    for (int field : new int[] {20, 25, 26, 99}) {
      refuses(
          written(OnnxBytes.unary("Abs", "").message(field, new OnnxBytes()), ONE),
          "regressor-not-allowed",
          "the field " + field);
    }
  }

  @Test
  void refusesGraphsWhoseMemoryTheirFileDoesNotBound() {
    OnnxBytes column =
        OnnxBytes.graph().message(5, zeros("w", 2, 1)).message(1, binary("Add", "x", "w", "y"));
    refuses(written(row(column), ONE), "regressor-not-allowed", "'Add'", "one row");
    OnnxBytes turned =
        OnnxBytes.graph().message(5, zeros("w", 2, 1)).message(1, binary("MatMul", "w", "x", "y"));
    refuses(written(row(turned), ONE), "regressor-not-allowed", "'MatMul'", "constant");
    OnnxBytes doubled = OnnxBytes.graph().message(1, binary("Concat", "x", "x", "y"));
    refuses(
        written(row(doubled), ONE), "regressor-not-allowed", "'Concat'", "TreeEnsembleRegressor");
    OnnxBytes wide =
        OnnxBytes.graph().message(5, zeros("w", 5000)).message(1, binary("Add", "x", "w", "y"));
    refuses(written(row(wide), ONE), "regressor-not-allowed", "wider than 4096");
    OnnxBytes empty = new OnnxBytes().integer(1, 1 << 20).integer(2, 1).text(8, "w");
    OnnxBytes unfilled =
        OnnxBytes.graph().message(5, empty).message(1, binary("Add", "x", "w", "y"));
    refuses(written(row(unfilled), ONE), "regressor-not-allowed", "does not fill");
    OnnxBytes many = OnnxBytes.graph();
    for (int i = 0; i < 257; i++) {
      many.message(1, OnnxBytes.node("Abs", "", i == 0 ? "x" : "t" + i, "t" + (i + 1)));
    }
    refuses(written(row(many), ONE), "regressor-not-allowed", "more than 256 nodes");
  }

  private static OnnxBytes trees(long targets, long feature, long child) {
    OnnxBytes node =
        OnnxBytes.node("TreeEnsembleRegressor", "ai.onnx.ml", "x", "y")
            .message(5, OnnxBytes.integers("nodes_treeids", 0, 0, 0))
            .message(5, OnnxBytes.integers("nodes_nodeids", 0, 1, 2))
            .message(5, OnnxBytes.integers("nodes_featureids", feature, 0, 0))
            .message(5, OnnxBytes.texts("nodes_modes", "BRANCH_LEQ", "LEAF", "LEAF"))
            .message(5, OnnxBytes.floats("nodes_values", 1, 0, 0))
            .message(5, OnnxBytes.integers("nodes_truenodeids", child, 0, 0))
            .message(5, OnnxBytes.integers("nodes_falsenodeids", 2, 0, 0))
            .message(5, OnnxBytes.integers("target_treeids", 0, 0))
            .message(5, OnnxBytes.integers("target_nodeids", 1, 2))
            .message(5, OnnxBytes.integers("target_ids", 0, 0))
            .message(5, OnnxBytes.floats("target_weights", 1, 2))
            .message(5, new OnnxBytes().text(1, "n_targets").integer(3, targets).integer(20, 2));
    return row(OnnxBytes.graph().message(1, node));
  }

  @ParameterizedTest
  @CsvSource({
    "2000000000, 0, 1, n_targets", "1, 1, 1, nodes_featureids", "1, -1, 1, nodes_featureids",
    "1, 0, 0, a node must", "1, 0, 2, a node must", "1, 0, 9, a node must"
  })
  void refusesTreesThatLeaveTheRowOrLoop(long targets, long feature, long child, String words) {
    refuses(written(trees(targets, feature, child), ONE), "regressor-not-allowed", words);
  }

  @Test
  void refusesBoundsThatAreNotFinite() {
    Path manifest =
        new RegressorFolder(folder)
            .write(
                row(
                    OnnxBytes.graph()
                        .message(1, OnnxBytes.node("Log", "", "x", "y"))
                        .message(1, OnnxBytes.node("Exp", "", "x", "z"))
                        .message(12, OnnxBytes.value("z", 1, 1))),
                ONE,
                "log_peak_memory_bytes, name: y",
                "{output: z, coverage: 0.9}");
    refuses(manifest, "regressor-not-finite", "upper bound is Infinity");
  }

  @Test
  void readsThePluginOfAFolderOnce() {
    assertThat(RegressorLoader.in(folder)).isSameAs(RegressorLoader.in(folder.resolve(".")));
  }

  @Test
  void refusesWhatOnnxRuntimeRefuses() {
    refuses(written(new OnnxBytes(), ONE), "regressor-failed", "loaded");
    refuses(written(OnnxBytes.model(OnnxBytes.graph()), ONE), "regressor-failed", "loaded");
  }

  /** Whatever bytes, an exception for people or a regressor, never anything else. */
  @Test
  void survivesDamagedFiles() throws IOException {
    byte[] bytes = GOOD.toByteArray();
    Random random = new Random(1);
    for (int i = 0; i < 300; i++) {
      byte[] damaged = bytes.clone();
      for (int change = 0; change <= i % 3; change++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        GraphGuard.check(damaged, "damaged", 2);
        OnnxSession.open(damaged, "damaged", 2).close();
      } catch (InputException e) {
        assertThat(e.code())
            .isIn("not-onnx", "regressor-not-allowed", "regressor-failed", "regressor-unsuitable");
      }
    }
  }
}
