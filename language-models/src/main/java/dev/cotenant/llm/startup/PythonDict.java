package dev.cotenant.llm.startup;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Scalars of a dictionary as Python prints it, such as {@code {'a': 1, 'b': None}}; parsed, never
 * evaluated. Nested values are skipped, and what follows an error is not read.
 */
final class PythonDict {
  private static final int DEPTH = 32;

  private final String text;
  private int at;

  private PythonDict(String text, int at) {
    this.text = text;
    this.at = at;
  }

  /** Entries by key, from the brace at {@code start} on; {@code None} is absent. */
  static Map<String, String> read(String text, int start) {
    PythonDict dict = new PythonDict(text, start + 1);
    Map<String, String> entries = new LinkedHashMap<>();
    while (dict.entry(entries)) {
      dict.blanks();
    }
    return entries;
  }

  private boolean entry(Map<String, String> entries) {
    blanks();
    String key = quoted();
    blanks();
    if (key == null || !take(':')) {
      return false;
    }
    blanks();
    String value = value();
    if (value == null) {
      return false;
    }
    if (!value.isEmpty() && !value.equals("None")) {
      entries.put(key, value);
    }
    blanks();
    return take(',');
  }

  /** A scalar, empty for a nested value; null where there is none. */
  private @Nullable String value() {
    if (at >= text.length()) {
      return null;
    }
    return switch (text.charAt(at)) {
      case '\'', '"' -> quoted();
      case '{', '[', '(' -> skipped() ? "" : null;
      default -> bare();
    };
  }

  private String bare() {
    int start = at;
    while (at < text.length() && ",}])".indexOf(text.charAt(at)) < 0) {
      if (text.charAt(at) == '(') {
        skipped(); // a call such as PosixPath('x')
      } else {
        at++;
      }
    }
    return text.substring(start, at).strip();
  }

  private boolean skipped() {
    int depth = 0;
    while (at < text.length()) {
      char next = text.charAt(at);
      if (next == '\'' || next == '"') {
        if (quoted() == null) {
          return false;
        }
        continue;
      }
      at++;
      if ("{[(".indexOf(next) >= 0 && ++depth > DEPTH) {
        return false;
      }
      if ("}])".indexOf(next) >= 0 && --depth == 0) {
        return true;
      }
    }
    return false;
  }

  private @Nullable String quoted() {
    if (at >= text.length() || (text.charAt(at) != '\'' && text.charAt(at) != '"')) {
      return null;
    }
    char quote = text.charAt(at++);
    StringBuilder value = new StringBuilder();
    while (at < text.length() && text.charAt(at) != quote) {
      if (text.charAt(at) == '\\' && at + 1 < text.length()) {
        at++;
      }
      value.append(text.charAt(at++));
    }
    return take(quote) ? value.toString() : null;
  }

  private boolean take(char wanted) {
    if (at < text.length() && text.charAt(at) == wanted) {
      at++;
      return true;
    }
    return false;
  }

  private void blanks() {
    while (at < text.length() && text.charAt(at) == ' ') {
      at++;
    }
  }
}
