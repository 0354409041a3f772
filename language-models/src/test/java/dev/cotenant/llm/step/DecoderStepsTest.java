package dev.cotenant.llm.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.source.ModelFolder;
import dev.cotenant.llm.source.ModelReader;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecoderStepsTest {
  /** Llama-3.1-8B: 32 x (4096 x (4096 + 2 x 1024) + 4096 x 4096 + 3 x 4096 x 14336). */
  private static final double LINEAR =
      32.0 * (4096.0 * (4096 + 2 * 1024) + 4096.0 * 4096 + 3 * 4096.0 * 14336);

  private static final double HEAD = 128256.0 * 4096;

  @TempDir private Path folder = Path.of("");

  private LanguageModel llama() throws IOException {
    return ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA));
  }

  @Test
  void aDecodedTokenTakesEveryWeightAndTheCacheOnce() throws IOException {
    StepWork one = new DecoderSteps(llama(), 1, 2, false).decode(1, 1000);
    assertThat(one.macs()).isCloseTo(LINEAR + HEAD + 32 * 1000 * 32 * 256.0, within(1.0));
    assertThat(one.parameters()).isCloseTo(LINEAR + HEAD + 1000 * 32 * 2 * 1024.0, within(1.0));
    assertThat(one.operators()).isZero();
    StepWork eight = new DecoderSteps(llama(), 1, 2, false).decode(8, 1000);
    assertThat(eight.batch()).isEqualTo(8);
    assertThat(eight.macs()).isEqualTo(one.macs());
    assertThat(eight.parameters() - one.parameters()).isCloseTo(7000 * 65536.0, within(1.0));
  }

  @Test
  void aPromptIsSampledOnce() throws IOException {
    StepWork prompt = new DecoderSteps(llama(), 1, 2, true).prefill(2048, 0);
    assertThat(prompt.macs()).isCloseTo(LINEAR + HEAD / 2048 + 32 * 1024 * 32 * 256.0, within(1.0));
    assertThat(prompt.operators()).isEqualTo(31.0 * 32);
  }

  @Test
  void gpusDivideMatricesAndFewBitsAreReadFaster() throws IOException {
    StepWork whole = new DecoderSteps(llama(), 1, 2, false).decode(4, 512);
    StepWork half = new DecoderSteps(llama(), 2, 2, false).decode(4, 512);
    assertThat(half.macs() / whole.macs()).isCloseTo(0.5, within(1e-9));
    assertThat(half.parameters() / whole.parameters()).isCloseTo(0.5, within(1e-9));
    StepWork eight =
        new DecoderSteps(llama().quantizedAs(Quantization.EIGHT_BIT), 1, 1, false).decode(4, 512);
    assertThat(eight.macs()).isEqualTo(whole.macs());
    assertThat(eight.parameters()).isCloseTo(LINEAR / 2 + HEAD + 4 * 512 * 32768.0, within(1.0));
  }

  /** 8 experts, 2 a token: 1 - 0.75^n of them are read by n tokens. */
  @Test
  void aBatchReadsTheExpertsThatItsTokensChoose() throws IOException {
    String config =
        """
        {"model_type": "mixtral", "hidden_size": 64, "intermediate_size": 128,
         "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4,
         "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 100,
         "max_position_embeddings": 512, "tie_word_embeddings": false, "torch_dtype": "bfloat16"}
        """;
    LanguageModel model = ModelReader.standard().read(ModelFolder.write(folder, config));
    DecoderSteps steps = new DecoderSteps(model, 1, 2, false);
    double experts = 2 * 8 * 3 * 64.0 * 128;
    double attention = 2 * 4 * 64.0 * 64;
    double head = 6400;
    assertThat(steps.decode(1, 0).parameters())
        .isCloseTo(attention + experts * 0.25 + head, within(1.0));
    assertThat(steps.decode(3, 0).parameters())
        .isCloseTo(attention + experts * (1 - Math.pow(0.75, 3)) + head, within(1.0));
    assertThat(steps.decode(3, 0).macs()).isCloseTo(attention + experts / 4 + head, within(1.0));
  }
}
