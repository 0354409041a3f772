package dev.cotenant.cli;

import dev.cotenant.cli.terminal.Console;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * What the launcher runs once after a build while the JVM takes note of the classes that are used,
 * so that the commands that people call most start faster ever after.
 */
final class Rehearsal {
  private Rehearsal() {}

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
