package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code evaluate llm}. */
class EvaluateLanguageModelsTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void scoresAFolderBesideRulesOfThumb() throws IOException {
    Path data = Files.createDirectories(folder.resolve("data"));
    StringBuilder rows =
        new StringBuilder(
            "model,quantization,prompt_tokens,generated_tokens,gpus,transformers,memory_total_gib\n");
    for (int i = 1; i <= 3; i++) {
      Path model = Files.createDirectories(data.resolve("models").resolve("a--m" + i));
      Files.writeString(
          model.resolve("config.json"),
          LanguageModelCommandTest.CONFIG.replace(
              "\"num_hidden_layers\": 32", "\"num_hidden_layers\": " + 8 * i));
      rows.append("a/m" + i + ",BF16,1,2048,1,4.51.3," + (2.2 + 3.3 * i) + "\n");
    }
    rows.append("a/gone,BF16,1,2048,1,4.51.3,5\n");
    Files.writeString(data.resolve("qwen_inference.csv"), rows);
    CommandRun run = CommandRun.of("evaluate", "llm", "--data", "llm:" + data);
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("transformers generation", "accelerate x 1.2", "2/10");
    assertThat(run.err()).contains("3 rows read, 1 skipped", "a/gone");
    CommandRun json =
        CommandRun.of(
            "evaluate", "llm", "--data", "llm:" + data, "--test", "llm:" + data, "--json");
    assertThat(json.json())
        .anySatisfy(row -> {
          assertThat(row.path("task").asText()).isEqualTo("llm");
          assertThat(row.path("metric").asText()).isEqualTo("median_percent");
          assertThat(row.path("reference").asDouble()).isEqualTo(2);
        });
  }

  @Test
  void namesAFolderWithoutRows() {
    CommandRun run = CommandRun.of("evaluate", "llm", "--data", "llm:" + folder);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("holds none of vllm_h100.csv");
    assertThat(CommandRun.of("evaluate", "llm", "--data", "timm:x").err()).contains("one of llm");
  }
}
