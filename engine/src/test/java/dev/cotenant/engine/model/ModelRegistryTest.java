package dev.cotenant.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelRegistryTest {
  private static final Path EXAMPLES =
      Path.of(System.getProperty("cotenant.root"), "examples", "models");
  private static final DeviceId A100 = new DeviceId("a100-40gb");

  private final Engine engine = Engine.standard();
  @TempDir Path folder;

  @Test
  void registersEveryGraphOfADirectoryByItsFileName() {
    ModelRegistry registry = registry();

    assertThat(registry.loadDirectory(EXAMPLES)).isEmpty();
    assertThat(registry.models())
        .extracting(RegisteredModel::name)
        .contains("resnet50", "bert_base")
        .isSorted();
  }

  @Test
  void goesOnAfterAFileThatIsNoGraphAndNamesIt() throws IOException {
    Files.copy(EXAMPLES.resolve("resnet18.onnx"), folder.resolve("resnet18.onnx"));
    Files.writeString(folder.resolve("broken.onnx"), "not a graph");
    ModelRegistry registry = registry();

    assertThat(registry.loadDirectory(folder)).singleElement().asString().contains("broken.onnx");
    assertThat(registry.find("resnet18")).isPresent();
    assertThat(registry.find("broken")).isEmpty();
  }

  @Test
  void suggestsTheModelThatWasMeant() throws IOException {
    ModelRegistry registry = registry();
    registry.put(registry.read("resnet18", EXAMPLES.resolve("resnet18.onnx")));
    RegisteredModelPredictor predictor = new RegisteredModelPredictor(registry, engine);

    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> predictor.features("resnet-18", 1))
        .withMessageStartingWith("No model is registered as 'resnet-18', perhaps 'resnet18': GET");
    assertThat(registry.unknown("bert").getMessage()).doesNotContain("perhaps");
    Path llama = folder.resolve("llama.json");
    Files.writeString(llama, "{\"config\": " + LlamaRuns.CONFIG + "}");
    registry.put(registry.read("llama", llama));
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> predictor.features("llama", 1))
        .withMessage("'llama' is a language model, which has no graph.");
  }

  @Test
  void findsAModelByNameAndByDigest() {
    ModelRegistry registry = registry();
    Registered read = registry.read("mine", EXAMPLES.resolve("resnet18.onnx"));
    registry.put(read);

    assertThat(registry.registered("mine")).contains(read);
    assertThat(registry.registered("sha256:" + read.sha256())).contains(read);
    assertThat(registry.find("mine")).isPresent();
  }

  @Test
  void changesNothingWhenTheContentIsNoGraph() throws IOException {
    ModelRegistry registry = registry();
    Path broken = Files.write(folder.resolve("broken"), new byte[] {1, 2, 3});

    assertThatExceptionOfType(InputException.class).isThrownBy(() -> registry.read("mine", broken));

    assertThat(registry.models()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../../etc/passwd", "a/b", ".hidden", "-x", "a b", "sha256:00"})
  void refusesNamesThatCouldBePaths(String name) {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> registry().read(name, EXAMPLES.resolve("resnet18.onnx")))
        .satisfies(e -> assertThat(e.code()).isEqualTo("bad-model-name"));
  }

  @Test
  void predictsRegisteredModelsAndNamesUnknownOnes() {
    ModelRegistry registry = registry();
    registry.loadDirectory(EXAMPLES);
    RegisteredModelPredictor predictor = new RegisteredModelPredictor(registry, engine);

    Outcome known =
        predictor.predict(
            new Workload("resnet50", 64, RunSettings.DEFAULT), Set.of(A100), Coverage.STANDARD);
    Outcome unknown =
        predictor.predict(
            new Workload("mystery", 64, RunSettings.DEFAULT), Set.of(A100), Coverage.STANDARD);

    assertThat(known).isInstanceOf(Outcome.Predicted.class);
    assertThat(((Outcome.Predicted) known).byDevice().keySet()).isEqualTo(Set.of(A100));
    assertThat(unknown).isEqualTo(new Outcome.UnknownModel("mystery"));
  }

  @Test
  void isPreparedOnceAGraphWasReadAtABatch() {
    ModelRegistry registry = registry();
    registry.loadDirectory(EXAMPLES);
    RegisteredModelPredictor predictor = new RegisteredModelPredictor(registry, engine);
    Workload at64 = new Workload("resnet50", 64, RunSettings.DEFAULT);

    assertThat(predictor.isPrepared(at64)).isFalse();
    predictor.predict(at64, Set.of(), Coverage.STANDARD);
    assertThat(predictor.isPrepared(at64)).isTrue();
    assertThat(predictor.isPrepared(new Workload("resnet50", 32, RunSettings.DEFAULT))).isFalse();
    assertThat(predictor.isPrepared(new Workload("mystery", 64, RunSettings.DEFAULT))).isTrue();
  }

  private ModelRegistry registry() {
    return ModelRegistry.of(engine);
  }
}
