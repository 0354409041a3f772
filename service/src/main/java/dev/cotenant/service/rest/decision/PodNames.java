package dev.cotenant.service.rest.decision;

import dev.cotenant.domain.InputException;
import java.util.regex.Pattern;

/** Names of pods: subdomain names [RFC 1123], as Kubernetes takes them. */
final class PodNames {
  private static final int MAX_CHARACTERS = 253;
  private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  private static final Pattern NAME = Pattern.compile(LABEL + "(\\." + LABEL + ")*");

  private PodNames() {}

  /**
   * Requires a valid pod name.
   *
   * @param property name of the document's property, for the message
   * @throws InputException ({@code bad-name})
   */
  static String require(String name, String property) {
    if (name.length() > MAX_CHARACTERS || !NAME.matcher(name).matches()) {
      throw InputException.invalidArgument(
          "bad-name",
          "'"
              + property
              + "' is not a pod name: at most 253 lower-case letters, digits, '-' and '.', with a"
              + " letter or digit around each '.' and at both ends.");
    }
    return name;
  }
}
