package dev.cotenant.engine.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.testing.MeasuredServers;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.serving.KvDemand;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.source.ModelDescription;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KvCacheAdviceTest {
  /** Five full layers and 29 of a window of 1,024 tokens: one group of five and six. */
  private static final String WINDOWED =
      """
      {"config": {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
         "num_hidden_layers": 34, "num_attention_heads": 8, "num_key_value_heads": 4,
         "head_dim": 256, "vocab_size": 262208, "max_position_embeddings": 131072,
         "sliding_window": 1024, "sliding_window_pattern": 6, "torch_dtype": "bfloat16"}}
      """;

  /** A block's token of five layers: keys and values of 4 heads of 256 in 16 bits. */
  private static final long BLOCK_TOKEN = 5 * 2 * 4 * 256 * 2;

  private static KvCacheAdvice advice(LanguageModel model, double blockTokens, String longest) {
    KvCacheAdvice.Pool pool =
        KvCacheAdvice.Pool.of(
            model, VllmVersion.MEASURED, Map.of("max-model-len", new Value(longest, "test")));
    KvDemand demand = new KvDemand(Collections.nCopies(20, blockTokens), 0, 0, 1_600_000);
    return KvCacheAdvice.of("s", demand, pool, 0.9);
  }

  /** vLLM counts 7 blocks for 16 tokens of a sequence, and exports blocks. */
  @Test
  void blocksHoldOneGroupOfLayers() {
    LanguageModel windowed =
        ModelDescription.read(WINDOWED.getBytes(StandardCharsets.UTF_8), "gemma").model();
    KvCacheAdvice advice = advice(windowed, 700_000, "2048");
    assertThat(advice.bytes()).isEqualTo(700_000 * BLOCK_TOKEN);
    assertThat(advice.tokens()).isEqualTo(100_000);
    assertThat(advice.poolBytes()).isEqualTo(1_600_000 * BLOCK_TOKEN);
  }

  /** With less, vLLM does not start. */
  @Test
  void thePoolHoldsASequenceOfTheLongestLength() {
    KvCacheAdvice advice = advice(MeasuredServers.model(), 3_200, "8192");
    assertThat(advice.tokens()).isEqualTo(8_192);
    assertThat(advice.isLongestAboveDemand()).isTrue();
    assertThat(advice(MeasuredServers.model(), 9_600, "8192").tokens()).isEqualTo(9_600);
  }

  /** Whatever the length that is assumed: the server started with its pool. */
  @Test
  void thePoolThatAServerHasHoldsItsLongestSequence() {
    assertThat(advice(MeasuredServers.model(), 3_200, "10m").tokens()).isEqualTo(1_600_000);
  }
}
