package dev.cotenant.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.llm.inference.GenerationSettings;
import dev.cotenant.llm.inference.TransformersVersion.Release;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.source.ModelFolder;
import dev.cotenant.llm.source.ModelReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;

/** Predictions of the memory of Llama 3.1 8B, and what tests ask of each. */
abstract class LlamaMemory {
  static final double GIB = 1L << 30;
  static final MemoryPredictor PREDICTOR = new MemoryPredictor(0.9);

  @TempDir Path folder = Path.of("");

  LanguageModel llama() throws IOException {
    return ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA));
  }

  static double gib(MemoryPrediction prediction, String part) {
    return Objects.requireNonNull(prediction.parts().get(part)).amount() / GIB;
  }

  static MemoryPrediction generated(
      LanguageModel model, GenerationSettings settings, String device) {
    return PREDICTOR.generation(model, settings, settings, device, List.of());
  }

  static GenerationSettings generation(Release release, long prompt, long answer, int gpus) {
    return new GenerationSettings(release.measured(), prompt, answer, gpus);
  }

  static void outside(MemoryPrediction known, MemoryPrediction found, String reason) {
    assertThat(found.peak().coverage()).isNull();
    assertThat(found.warnings()).anyMatch(line -> line.contains(reason));
    assertThat(relativeWidth(found)).isGreaterThan(relativeWidth(known));
  }

  private static double relativeWidth(MemoryPrediction found) {
    return (double) found.peak().upper() / found.peak().mean();
  }
}
