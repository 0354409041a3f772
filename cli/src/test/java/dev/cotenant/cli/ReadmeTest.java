package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.cli.terminal.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The README shows what the program prints. */
class ReadmeTest {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));
  private static final String MODEL = "examples/models/resnet50.onnx";
  private static final String PLAN = "examples/plans/twelve-workloads.yaml";
  private static final String HELD = "examples/pods/04-densenet121-big-batch.yaml";

  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** Lines of the README's block after the command, up to a line with this beginning. */
  private static List<String> shown(String command, String end) throws IOException {
    return Files.readAllLines(ROOT.resolve("README.md")).stream()
        .dropWhile(line -> !line.startsWith("$ ./cotenant " + command))
        .skip(1)
        .takeWhile(line -> !line.startsWith(end))
        .toList();
  }

  @Test
  void showsThePredictionOfResNet50() throws IOException {
    CommandRun run =
        CommandRun.ofWidth(
            120, "predict", ROOT.resolve(MODEL), "--device", "a100-40gb", "--batch", 64);

    assertThat(run.out().lines().map(line -> line.replace(ROOT + "/", "")))
        .containsExactlyElementsOf(shown("predict " + MODEL, "warning"));
  }

  @Test
  void showsThePlanOfTwelveWorkloads() throws IOException {
    CommandRun run = CommandRun.of("plan", ROOT.resolve(PLAN));

    assertThat(run.out().strip().lines().map(ReadmeTest::withoutTime))
        .containsExactlyElementsOf(
            shown("plan " + PLAN, "```").stream().map(ReadmeTest::withoutTime).toList());
  }

  /** Of every row the commands, with their subcommands and options; doctor is the plugin's. */
  @Test
  void namesCommandsAndOptionsThatThereAre() throws IOException {
    List<String> rows =
        Files.readAllLines(ROOT.resolve("README.md")).stream()
            .dropWhile(line -> !line.equals("| command | does |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .toList();

    assertThat(rows).hasSizeGreaterThan(25);
    for (String row : rows) {
      CommandLine command = line();
      for (MatchResult code : CODE.matcher(row).results().toList()) {
        String text = code.group(1).replaceAll("[\\[\\]]", "");
        List<String> words = List.of(text.replaceFirst("^\\./cotenant ", "").split(" "));
        if (text.startsWith("./") || line().getSubcommands().containsKey(words.getFirst())) {
          command = line();
        } else if (!text.startsWith("--")) {
          continue;
        }
        for (String word : words.getFirst().equals("doctor") ? List.<String>of() : words) {
          command = check(command, word, row);
        }
      }
    }
  }

  private static CommandLine check(CommandLine command, String word, String row) {
    Map<String, CommandLine> below = command.getSubcommands();
    if (word.startsWith("-")) {
      assertThat(command.getCommandSpec().optionsMap()).as(row).containsKey(word);
    } else if (!below.isEmpty()) {
      List<String> names = List.of(word.split("\\\\\\|"));
      assertThat(below.keySet()).as(row).containsAll(names);
      return Objects.requireNonNull(below.get(names.getFirst()));
    }
    return command;
  }

  private static CommandLine line() {
    PrintWriter unused = new PrintWriter(new StringWriter());
    return Commands.line(Console.ofWriters(unused, unused), ROOT);
  }

  private static String withoutTime(String line) {
    return line.replaceFirst(", [0-9.]+ ms$", "");
  }

  /** Without a service; as README says, with every reason and the largest batch that fits. */
  @Test
  void printsEveryReasonAndTheBatchThatFits() throws IOException {
    assertThat(Files.readString(ROOT.resolve("README.md"))).contains("decide -f " + HELD);

    CommandRun run = CommandRun.of("decide", "-f", ROOT.resolve(HELD));

    assertThat(run.out())
        .contains("team-a/densenet121-big-batch: held")
        .containsPattern("\n  1\\. [A-Z][A-Za-z]+: GPU-")
        .containsPattern("MemoryForecastExceeded: .* limit [0-9.]+ GiB")
        .containsPattern("\n  What would fit: batch \\d+, on GPU-");
  }
}
