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
    PrintWriter out = writer(FileDescriptor.out);
    PrintWriter err = writer(FileDescriptor.err);
    boolean terminal = Boolean.getBoolean("cotenant.terminal"); // the launcher knows
    Console console = terminal ? Console.ofTerminal(out, err) : Console.ofWriters(out, err);
    System.exit(run(arguments, console));
  }

  /** Results are UTF-8, whatever the locale. */
  private static PrintWriter writer(FileDescriptor descriptor) {
    return new PrintWriter(new FileOutputStream(descriptor), false, StandardCharsets.UTF_8);
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
