package dev.cotenant.zoo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The models in {@code examples/models} are what the zoo builds. With {@code
 * -Dcotenant.examples.write=true} they are written again instead of compared.
 */
class ExampleModelsTest {
  private static final boolean WRITE = Boolean.getBoolean("cotenant.examples.write");

  @ParameterizedTest
  @ValueSource(
      strings = {"bert_base", "densenet121", "mobilenet_v2", "resnet18", "resnet50", "vgg19"})
  void areWhatTheZooBuilds(String name) throws IOException {
    Path file = Path.of(System.getProperty("cotenant.root"), "examples", "models", name + ".onnx");
    if (WRITE) {
      Files.write(file, ModelZoo.build(name));
    }

    assertThat(file)
        .as("rewrite with -Dcotenant.examples.write=true after a change of the zoo")
        .hasBinaryContent(ModelZoo.build(name));
  }
}
