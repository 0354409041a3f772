package dev.cotenant.llm.source;

import dev.cotenant.domain.testing.Fuzzer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Coverage-guided; see {@link Fuzzer}. */
class CoverageGuidedFuzzTest {
  @Test
  void letsNothingButInputExceptionsOutOfTheReaders() throws Exception {
    Fuzzer.run(
        HeaderFuzzTarget.class,
        Map.of(
            "gguf", ModelFolder.gguf().bytes(),
            "config", ModelFolder.LLAMA.getBytes(StandardCharsets.UTF_8),
            "description",
                ("{\"config\": "
                        + ModelFolder.LLAMA
                        + ", \"headers\": ["
                        + ModelFolder.tensor("BF16", 8, 16)
                        + "]}")
                    .getBytes(StandardCharsets.UTF_8),
            "safetensors",
                ModelFolder.safetensors(
                    "{\"w\": {\"dtype\": \"BF16\", \"shape\": [0], \"data_offsets\": [0, 0]}}")),
        1 << 16,
        Duration.ofSeconds(60));
  }
}
