package dev.cotenant.cli.terminal;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A port that an option names.
 *
 * @param number as it was given
 * @param name the option's, such as {@code --port}
 */
public record PortOption(int number, String name) {
  private static final int MAX = 65_535;

  /**
   * The port number, checked against the range.
   *
   * @throws InputException ({@code bad-port}) for one below {@code least} or beyond 65535
   */
  public int numberFrom(int least) {
    if (number < least || number > MAX) {
      throw InputException.invalidArgument(
          "bad-port", name + " must be from " + least + " to " + MAX + ", is " + number + ".");
    }
    return number;
  }

  /** That the port is taken or not allowed ({@code port-in-use}). */
  public InputException notOpened(IOException cause) {
    return notOpened(List.of(this), cause);
  }

  /** That ports, of which there is at least one, are taken or not allowed ({@code port-in-use}). */
  public static InputException notOpened(List<PortOption> ports, IOException cause) {
    return new InputException(
        InputException.Kind.NOT_FOUND,
        "port-in-use",
        joined(ports, port -> "port " + port.number)
            + " cannot be opened ("
            + cause.getMessage()
            + "): choose "
            + (ports.size() == 1 ? "another" : "others")
            + " with "
            + joined(ports, PortOption::name)
            + ".",
        cause);
  }

  private static String joined(List<PortOption> ports, Function<PortOption, String> words) {
    return ports.stream().map(words).collect(Collectors.joining(" and "));
  }
}
