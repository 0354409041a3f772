package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StepTimeCommandTest {
  private static final String HEADER = "model,batch,mps_pct,latency_ms\n";

  @TempDir private Path folder = Path.of("");

  private Path igniter(String rows) throws IOException {
    return Files.writeString(folder.resolve("solo.csv"), HEADER + rows);
  }

  @Test
  void printsEveryFigureBesideItsBar() throws IOException {
    String set = "igniter:" + igniter("vgg19,8,40,33.2\nresnet50,8,40,13.5\n");
    CommandRun run = CommandRun.of("evaluate", "step-time", "--data", set);
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("constants -> iGniter").contains("mape <= 15");
    CommandRun json = CommandRun.of("evaluate", "step-time", "--data", set, "--json");
    assertThat(json.json())
        .anySatisfy(row -> {
          assertThat(row.path("task").asText()).isEqualTo("step-time");
          assertThat(row.path("metric").asText()).isEqualTo("mape_percent");
          assertThat(row.path("reference").asDouble()).isEqualTo(15);
        });
  }

  @Test
  void scoresRowsToTestAfterLearningFromData() throws IOException {
    String set = "igniter:" + igniter("vgg19,8,40,33.2\nresnet50,8,40,13.5\n");
    CommandRun run = CommandRun.of("evaluate", "step-time", "--data", set, "--test", set);
    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).contains("2 rows read, 0 skipped");
  }

  @Test
  void failsWhereNothingWasScored() throws IOException {
    String set = "igniter:" + igniter("ssd,8,40,33.2\n");
    CommandRun run = CommandRun.of("evaluate", "step-time", "--data", set);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("No row was scored").contains("model 'ssd'");
  }

  @Test
  void namesTheFormatsOfStepTimes() {
    CommandRun run = CommandRun.of("evaluate", "step-time", "--data", "spread:x");
    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err()).contains("timm, parvagpu, neusight, collector, igniter");
  }
}
