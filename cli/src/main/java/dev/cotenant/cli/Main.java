package dev.cotenant.cli;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Failures;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/** Entry of the {@code cotenant} command. */
public final class Main {
  private Main() {}

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    Output output = new Output();
    PrintWriter out = new PrintWriter(output, false, StandardCharsets.UTF_8);
    PrintWriter err =
        new PrintWriter(new FileOutputStream(FileDescriptor.err), false, StandardCharsets.UTF_8);
    boolean terminal = Boolean.getBoolean("cotenant.terminal"); // the launcher knows
    Console console = terminal ? Console.ofTerminal(out, err) : Console.ofWriters(out, err);
    int exitCode = run(arguments, console.ofWidth(width()));
    out.flush();
    System.exit(exitCode == 0 ? output.exitCode(console) : exitCode);
  }

  /** The terminal's width, which the launcher knows; at least 20 characters. */
  private static int width() {
    return Math.max(20, Integer.getInteger("cotenant.columns", Integer.MAX_VALUE));
  }

  /** Runs the command in this process and gives its exit code. */
  static int run(String[] arguments, Console console) {
    Failures failures =
        new Failures(console, Objects.requireNonNullElse(System.getenv("COTENANT_DEBUG"), ""));
    try {
      return Commands.line(console, home(), arguments)
          .setExecutionExceptionHandler(failures)
          .setParameterExceptionHandler(failures)
          .execute(arguments);
    } catch (StackOverflowError | OutOfMemoryError e) {
      return failures.internal(e);
    }
  }

  /** The project's folder; the launcher names it. */
  private static Path home() {
    return Path.of(System.getProperty("cotenant.home", System.getProperty("cotenant.root", "")));
  }
}
