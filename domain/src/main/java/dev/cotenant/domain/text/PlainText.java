package dev.cotenant.domain.text;

import java.util.regex.Pattern;

/**
 * Untrusted text as one plain line. Nothing in it begins a line, moves a terminal's cursor or
 * reverses the direction of what follows.
 */
public final class PlainText {
  /** Replaces each removed character. */
  public static final String REPLACEMENT = "\uFFFD";

  /** General categories [Unicode 17, section 4.5]: control, format, separators, lone surrogates. */
  private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");

  private PlainText() {}

  /** Whether all characters are printable ones of ASCII, as those of most names are. */
  public static boolean isPrintableAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < ' ' || text.charAt(i) > '~') {
        return false;
      }
    }
    return true;
  }

  /** The text with every such character replaced by {@value #REPLACEMENT}. */
  public static String of(String text) {
    return of(text, REPLACEMENT);
  }

  /** The text with every such character replaced. */
  public static String of(String text, String replacement) {
    return isPrintableAscii(text) ? text : UNSAFE.matcher(text).replaceAll(replacement);
  }
}
