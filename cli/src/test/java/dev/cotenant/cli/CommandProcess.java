package dev.cotenant.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A command in a process of its own, with standard streams of its own. */
final class CommandProcess {
  private CommandProcess() {}

  static ProcessBuilder of(String... arguments) {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dcotenant.root=" + System.getProperty("cotenant.root"),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    line.addAll(List.of(arguments));
    return new ProcessBuilder(line).redirectInput(new File("/dev/null"));
  }
}
