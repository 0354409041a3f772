package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.FreePort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo prints the README's lines. */
class DemoIT {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));
  private static final String TABLE_IS_OVER = "Devices, tenants and decisions are at ";

  @TempDir private Path folder = Path.of("");

  /** Lines of the README's block after the command. */
  private static List<String> shown() throws IOException {
    return Files.readAllLines(ROOT.resolve("README.md")).stream()
        .dropWhile(line -> !line.equals("$ ./cotenant demo"))
        .skip(1)
        .takeWhile(line -> !line.equals("```"))
        .toList();
  }

  /** Lines that the demo prints, to the first with this beginning. */
  private List<String> demo(String last) throws IOException, InterruptedException {
    int port = FreePort.find();
    Path errors = folder.resolve("errors-" + port + ".txt");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dcotenant.home=" + ROOT,
                "-cp",
                ROOT.resolve("cli/target/cotenant-cli.jar")
                    + ":"
                    + ROOT.resolve("cli/target/lib/*"),
                "dev.cotenant.cli.Main",
                "demo",
                "--port",
                Integer.toString(port),
                "--https-port",
                Integer.toString(FreePort.find()))
            .redirectError(errors.toFile())
            .start();
    CompletableFuture.delayedExecutor(10, TimeUnit.MINUTES).execute(process::destroyForcibly);
    List<String> printed = new ArrayList<>();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        printed.add(line.replace(Integer.toString(port), "8080"));
        if (printed.getLast().startsWith(last)) {
          process.toHandle().destroy(); // which leaves the stream open
        }
      }
    }
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
    return printed;
  }

  @Test
  void printsWhatTheReadmeShows() throws Exception {
    List<String> shown = shown();

    assertThat(demo(shown.getLast())).containsExactlyElementsOf(shown);
  }

  @Test
  @Tag("long")
  void printsTheSameTableAgain() throws Exception {
    List<String> table = demo(TABLE_IS_OVER);

    assertThat(table).hasSizeGreaterThan(15);
    assertThat(shown()).startsWith(table.toArray(String[]::new));
  }
}
