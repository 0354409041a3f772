package dev.cotenant.datasets.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the collector with the system's own Python, for which Debian packages PyTorch. */
final class CollectorScript {
  static final Path FOLDER = Path.of("collector");
  private static final Path PYTHON = Path.of("/usr/bin/python3");
  private static final Path TORCH = Path.of("/usr/lib/python3/dist-packages/torch/__init__.py");
  private static final long MAX_MINUTES = 8;

  private final Path log;

  /** Skips the test, or fails it where nothing may be skipped, when PyTorch is not installed. */
  CollectorScript(Path log) {
    OutsideData.requirePackage("python3-torch", PYTHON);
    OutsideData.requirePackage("python3-torch", TORCH);
    this.log = log;
  }

  /** Runs a command on the fake GPU; what it printed. */
  String onFakeGpu(String command, String plan, Path out, String... options) {
    Path file = FOLDER.toAbsolutePath().resolve("plans").resolve(plan);
    List<String> arguments =
        List.of(
            "collect.py",
            command,
            "--fake-gpu",
            "--plan",
            file.toString(),
            "--out",
            out.toString());
    return run(Stream.concat(arguments.stream(), Stream.of(options)).toArray(String[]::new));
  }

  /** Runs Python in the collector's folder; it must end with 0. */
  String run(String... arguments) {
    List<String> command = new ArrayList<>(List.of(PYTHON.toString(), "-B"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(FOLDER.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    try {
      Process process = builder.start();
      boolean ended = process.waitFor(MAX_MINUTES, TimeUnit.MINUTES);
      process.destroyForcibly();
      String printed = Files.readString(log);
      assertThat(ended).as("ended in time: %s", printed).isTrue();
      assertThat(process.exitValue()).as(printed).isZero();
      return printed;
    } catch (IOException e) {
      throw new AssertionError(command + " cannot be run", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
