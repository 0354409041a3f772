package dev.cotenant.service.access;

import java.util.regex.Pattern;

/** Text from outside as a part of one line of a log or a message. */
public final class Printable {
  /** Control, format and unassigned characters, and what ends lines. */
  private static final Pattern HIDDEN = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

  private Printable() {}

  /** With replacement characters for what does not print. */
  public static String line(String text) {
    return HIDDEN.matcher(text).replaceAll("\uFFFD");
  }
}
