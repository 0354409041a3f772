package dev.cotenant.service.access;

import dev.cotenant.domain.InputException;
import java.util.regex.Pattern;

/** Names of namespaces [RFC 1123 label]. */
public final class Namespaces {
  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

  private Namespaces() {}

  static boolean isValid(String namespace) {
    return LABEL.matcher(namespace).matches();
  }

  /**
   * Requires a valid namespace name.
   *
   * @throws InputException ({@code bad-namespace})
   */
  public static String require(String namespace) {
    if (!isValid(namespace)) {
      throw InputException.invalidArgument(
          "bad-namespace",
          "A namespace has 1 to 63 lower-case letters, digits and '-', such as team-a.");
    }
    return namespace;
  }
}
