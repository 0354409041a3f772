package dev.cotenant.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelRegistryTest {
  private static final Path EXAMPLES =
      Path.of(System.getProperty("cotenant.root"), "examples", "models");
  private static final DeviceId A100 = new DeviceId("a100-40gb");

  private final Engine engine = Engine.standard();
  @TempDir Path store;

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
    Files.copy(EXAMPLES.resolve("resnet18.onnx"), store.resolve("resnet18.onnx"));
    Files.writeString(store.resolve("broken.onnx"), "not a graph");
    ModelRegistry registry = registry();

    assertThat(registry.loadStore()).singleElement().asString().contains("broken.onnx");
    assertThat(registry.find("resnet18")).isPresent();
    assertThat(registry.find("broken")).isEmpty();
  }

  @Test
  void knowsARegisteredModelAgainAfterARestart() {
    RegisteredModel registered = registry().register("mine", EXAMPLES.resolve("resnet18.onnx"));

    ModelRegistry restarted = registry();
    restarted.loadStore();

    assertThat(restarted.find("mine"))
        .hasValueSatisfying(m -> assertThat(m.sha256()).isEqualTo(registered.sha256()));
    assertThat(restarted.find("sha256:" + registered.sha256())).isPresent();
  }

  @Test
  void changesNothingWhenTheContentIsNoGraph(@TempDir Path elsewhere) throws IOException {
    ModelRegistry registry = registry();
    registry.register("mine", EXAMPLES.resolve("resnet18.onnx"));
    Path broken = Files.write(elsewhere.resolve("broken"), new byte[] {1, 2, 3});
    String before = registry.find("mine").orElseThrow().sha256();

    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> registry.register("mine", broken));

    assertThat(registry.find("mine").orElseThrow().sha256()).isEqualTo(before);
    try (var files = Files.list(store)) {
      assertThat(files).containsExactly(store.resolve("mine.onnx"));
    }
  }

  /** Whichever of two comes last: memory and disk must hold the same one. */
  @RepeatedTest(20)
  void meansOneFileWhenTwoAreRegisteredUnderOneNameAtOnce()
      throws InterruptedException, ExecutionException {
    ModelRegistry registry = registry();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Future<RegisteredModel>> registered =
          IntStream.range(0, 16)
              .mapToObj(i -> i % 2 == 0 ? "resnet18.onnx" : "vgg19.onnx")
              .map(file -> threads.submit(() -> registry.register("one", EXAMPLES.resolve(file))))
              .toList();
      for (Future<RegisteredModel> one : registered) {
        one.get();
      }
    }
    ModelRegistry restarted = registry();
    restarted.loadStore();

    assertThat(registry.find("one").orElseThrow().sha256())
        .isEqualTo(restarted.find("one").orElseThrow().sha256());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../../etc/passwd", "a/b", ".hidden", "-x", "a b", "sha256:00"})
  void refusesNamesThatCouldBePaths(String name) {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> registry().register(name, EXAMPLES.resolve("resnet18.onnx")))
        .satisfies(e -> assertThat(e.code()).isEqualTo("bad-model-name"));
  }

  @Test
  void predictsRegisteredModelsAndNamesUnknownOnes() {
    ModelRegistry registry = registry();
    registry.loadDirectory(EXAMPLES);
    RegisteredModelPredictor predictor = new RegisteredModelPredictor(registry, engine);

    Outcome known =
        predictor.predict(new Workload("resnet50", 64, RunSettings.DEFAULT), Set.of(A100));
    Outcome unknown =
        predictor.predict(new Workload("mystery", 64, RunSettings.DEFAULT), Set.of(A100));

    assertThat(known).isInstanceOf(Outcome.Predicted.class);
    assertThat(((Outcome.Predicted) known).byDevice().keySet()).isEqualTo(Set.of(A100));
    assertThat(unknown).isEqualTo(new Outcome.UnknownModel("mystery"));
  }

  private ModelRegistry registry() {
    return new ModelRegistry(engine.reader(), store);
  }

  @Test
  void startsEmptyWithoutAStore() {
    ModelRegistry registry = new ModelRegistry(engine.reader(), store.resolve("absent"));

    assertThat(registry.loadStore()).isEqualTo(List.of());
    assertThat(registry.models()).isEmpty();
  }
}
