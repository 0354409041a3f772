package dev.cotenant.domain.text;

import java.util.regex.Pattern;

/** DNS-1123 subdomains, the syntax of most names of Kubernetes objects. */
public final class DnsSubdomain {
  private static final Pattern SYNTAX =
      Pattern.compile(
          "(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*+");

  private DnsSubdomain() {}

  /** Whether a text is one: 1 to 253 lower-case letters, digits, {@code -} and {@code .}. */
  public static boolean matches(String text) {
    return SYNTAX.matcher(text).matches();
  }
}
