package dev.cotenant.cli;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.engine.Engine;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** Which program and which predictor answer. */
@Command(
    name = "version",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "Prints the version of the program and of its predictor.")
final class VersionCommand implements Runnable {
  private final Console console;
  private final Supplier<Engine> engine;

  VersionCommand(Console console, Supplier<Engine> engine) {
    this.console = console;
    this.engine = engine;
  }

  @Override
  public void run() {
    console.line("cotenant " + Version.text());
    console.line("predictor " + engine.get().modelVersion());
    console.line("java " + Runtime.version());
  }
}
