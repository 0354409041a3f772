package dev.cotenant.cli.terminal;

import dev.cotenant.domain.InputException;
import java.io.IOException;

/**
 * A port that an option names.
 *
 * @param number as it was given
 * @param name the option's, such as {@code --port}
 */
public record PortOption(int number, String name) {
  private static final int MAX = 65_535;

  /**
   * The port, if there can be one of that number.
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
    return new InputException(
        InputException.Kind.NOT_FOUND,
        "port-in-use",
        "port "
            + number
            + " cannot be opened ("
            + cause.getMessage()
            + "): choose another with "
            + name
            + ".",
        cause);
  }
}
