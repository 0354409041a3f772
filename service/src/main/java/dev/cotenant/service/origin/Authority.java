package dev.cotenant.service.origin;

import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Host and port as a Host header or an origin has them [RFC 9110, 7.2], in one spelling: lower
 * case, without the dot of a fully qualified name, IP addresses in Java's form.
 *
 * @param host a name or an IP address
 * @param isAddress whether the host is an IP address
 * @param port empty where there is none
 */
public record Authority(String host, boolean isAddress, OptionalInt port) {
  private static final int MAX_LENGTH = 300;
  private static final int MAX_PORT = 65_535;

  /** No user, no zone, no path, no white space. */
  private static final Pattern SHAPE =
      Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([A-Za-z0-9._-]+?)\\.?)(?::([0-9]{1,5}))?");

  private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

  /** Reads one; empty where the text is none. */
  public static Optional<Authority> parse(String text) {
    Matcher matcher = SHAPE.matcher(text);
    if (text.length() > MAX_LENGTH || !matcher.matches()) {
      return Optional.empty();
    }
    OptionalInt port =
        matcher.group(3) == null
            ? OptionalInt.empty()
            : OptionalInt.of(Integer.parseInt(matcher.group(3)));
    if (port.orElse(0) > MAX_PORT) {
      return Optional.empty();
    }
    String name = matcher.group(2);
    if (name == null) {
      return address(matcher.group(1), port);
    }
    return IPV4.matcher(name).matches()
        ? address(name, port)
        : Optional.of(new Authority(name.toLowerCase(Locale.ROOT), false, port));
  }

  private static Optional<Authority> address(String literal, OptionalInt port) {
    try {
      String spelled = InetAddress.ofLiteral(literal).getHostAddress();
      return Optional.of(new Authority(spelled, true, port));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // such as 1.2.3.256
    }
  }

  /** Copy with the given port if it has none. */
  Authority withDefaultPort(int standard) {
    return new Authority(host, isAddress, OptionalInt.of(port.orElse(standard)));
  }
}
