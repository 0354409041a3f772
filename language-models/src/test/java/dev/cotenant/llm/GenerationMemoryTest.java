package dev.cotenant.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.llm.inference.GenerationSettings;
import dev.cotenant.llm.inference.TransformersVersion;
import dev.cotenant.llm.inference.TransformersVersion.Release;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class GenerationMemoryTest extends LlamaMemory {
  @Test
  void releasesOfTransformersDifferInThePromptsLogits() throws IOException {
    double whole = generation(Release.WHOLE_PROMPT);
    double last = generation(Release.LAST_TOKEN);
    double lean = generation(Release.LEAN);
    assertThat(whole).isGreaterThan(last + 10);
    assertThat(last).isGreaterThan(lean);
    assertThat(TransformersVersion.of("4.44.2").release()).isEqualTo(Release.WHOLE_PROMPT);
    assertThat(TransformersVersion.of("4.46.0").release()).isEqualTo(Release.LAST_TOKEN);
    assertThat(TransformersVersion.of("5.0").release()).isEqualTo(Release.LEAN);
  }

  private double generation(Release release) throws IOException {
    return generated(llama(), generation(release, 30_000, 2_000, 1), "a100-80gb").peak().mean()
        / GIB;
  }

  /** 4.38 keeps the logits of the whole prompt: 128256 x 6 bytes a token. */
  @Test
  void generationOfAnUnknownVersionIsBoundedByTheReleaseThatTakesMost() throws IOException {
    GenerationSettings unknown = new GenerationSettings(null, 30_000, 2_000, 1);
    MemoryPrediction found = generated(llama(), unknown, "a100-80gb");
    MemoryPrediction most =
        generated(llama(), generation(Release.WHOLE_PROMPT, 30_000, 2_000, 1), "a100-80gb");
    assertThat(found.version()).isEqualTo("4.51");
    assertThat(found.peak().coverage()).isNull();
    assertThat(found.peak().upper()).isGreaterThanOrEqualTo(most.peak().upper());
    assertThat(found.warnings()).anyMatch(line -> line.contains("no version of transformers"));
    assertThat(most.peak().coverage()).isEqualTo(0.9);
  }

  @Test
  void otherVersionsAndCardsOfTransformersWereNotMeasured() throws IOException {
    GenerationSettings other =
        new GenerationSettings(TransformersVersion.of("4.57.1"), 100, 100, 1);
    assertThat(generated(llama(), other, "a100-80gb").peak().coverage()).isNull();
    assertThat(generated(llama(), generation(Release.LEAN, 100, 100, 1), "l4").warnings())
        .anyMatch(line -> line.contains("l4 with transformers"));
  }
}
