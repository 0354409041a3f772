package dev.cotenant.lab.report;

import dev.cotenant.domain.text.PlainText;

/** Text for HTML and SVG. */
final class Markup {
  private Markup() {}

  /** Control characters become spaces; all characters of the syntax are escaped. */
  static String escaped(String text) {
    return PlainText.of(text, " ")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
