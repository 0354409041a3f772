package dev.cotenant.cli;

import dev.cotenant.cli.terminal.Console;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * The training run of the AOT cache, which the launcher makes after a build: loads the classes of
 * the commands that are called most.
 */
final class AotTraining {
  private AotTraining() {}

  /** Inspects and predicts for these files, and says nothing. */
  public static void main(String[] files) {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter(), false);
    Console console = Console.ofWriters(nowhere, nowhere);
    for (String file : files) {
      Main.run(new String[] {"features", file}, console);
      Main.run(new String[] {"features", "--json", file}, console);
      Main.run(new String[] {"predict", "--device", "a100-40gb", file}, console);
      Main.run(new String[] {"predict", "--device", "a100-40gb", "--json", file}, console);
    }
  }
}
