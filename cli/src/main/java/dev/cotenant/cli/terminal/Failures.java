package dev.cotenant.cli.terminal;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * What went wrong, as one line on standard error and an exit code: 2 for bad usage, 1 for a job
 * that failed. A stack trace is printed only with {@code COTENANT_DEBUG}.
 */
public final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {
  /** A job that failed. */
  public static final int JOB_FAILED = ExitCode.SOFTWARE;

  /** Bad usage. */
  public static final int BAD_USAGE = ExitCode.USAGE;

  private final Console console;
  private final boolean traces;

  /** Traces are printed where {@code debug} is 1. */
  public Failures(Console console, String debug) {
    this.console = console;
    this.traces = debug.equals("1");
  }

  /** What an input that cannot be used ends with. */
  public static int exitCode(InputException e) {
    return e.kind() == InputException.Kind.INVALID_ARGUMENT ? BAD_USAGE : JOB_FAILED;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
    if (traces) {
      e.printStackTrace(console.err());
    }
    return switch (e) {
      case InputException input -> {
        console.error(input.getMessage());
        yield exitCode(input);
      }
      case UncheckedIOException io -> inputOrOutput(io);
      case IOException io -> inputOrOutput(io);
      default -> internal(e);
    };
  }

  private int inputOrOutput(Exception e) {
    console.error("reading or writing failed: " + e);
    return JOB_FAILED;
  }

  @Override
  public int handleParseException(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    String usage = " (usage: " + command.getCommandSpec().qualifiedName() + " --help)";
    console.error(message(e, command, arguments) + usage);
    return BAD_USAGE;
  }

  private static String message(ParameterException e, CommandLine command, String[] arguments) {
    String message = String.valueOf(e.getMessage());
    if (e instanceof MissingParameterException) {
      // A mistyped name of a required option: that it is missing says less.
      return Arrays.stream(arguments)
          .filter(argument -> argument.startsWith("--"))
          .map(argument -> argument.replaceFirst("=.*", ""))
          .filter(option -> !command.getCommandSpec().optionsMap().containsKey(option))
          .findFirst()
          .map(option -> unknownOption(option, command))
          .orElse(message);
    }
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return message;
    }
    String argument = unmatched.getUnmatched().getFirst();
    if (argument.startsWith("-")) {
      return unknownOption(argument, command);
    }
    Set<String> commands = command.getSubcommands().keySet();
    return commands.isEmpty()
        ? "'" + argument + "' is one argument too many: leave it out"
        : InputException.unknown("command", argument, commands).getMessage();
  }

  private static String unknownOption(String argument, CommandLine command) {
    return InputException.unknown(
            "option", argument, command.getCommandSpec().optionsMap().keySet())
        .getMessage();
  }

  /** A bug of ours, or a machine that ran out of something. */
  public int internal(Throwable e) {
    if (traces && e instanceof Error) {
      e.printStackTrace(console.err());
    }
    String what =
        e instanceof OutOfMemoryError ? "out of memory: " : "internal error, please report it: ";
    console.error(what + e + " (COTENANT_DEBUG=1 shows where)");
    return JOB_FAILED;
  }
}
