package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainPlacementTest {
  @TempDir private Path folder;

  @Test
  void goesOnWhereItEndedAndWritesAnOnnxFile() throws IOException {
    assertThat(train(1).exitCode()).isZero();
    byte[] first = Files.readAllBytes(folder.resolve("inss-placement-7.onnx"));

    CommandRun second = train(2);

    assertThat(second.exitCode()).isZero();
    assertThat(second.out()).contains("inss-placement-7.onnx: 2 episodes");
    assertThat(folder.resolve("inss-placement-7.csv"))
        .content()
        .startsWith("episode,mean_reward\n1,")
        .hasLineCount(3);
    assertThat(Files.readAllBytes(folder.resolve("inss-placement-7.onnx"))).isNotEqualTo(first);
    assertThat(train(2).out()).contains("2 episodes");
  }

  @Test
  void anUnreadableStateIsNamedWithWhatToDo() throws IOException {
    Path state = Files.writeString(folder.resolve("inss-placement-7.training"), "not a training");

    CommandRun run = train(1);

    assertThat(run.errorLines()).singleElement().asString().contains(state.toString(), "delete it");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  private CommandRun train(int episodes) {
    return CommandRun.of(
        "train", "placement", "--seed", "7", "--episodes", "" + episodes, "--out", "" + folder);
  }
}
