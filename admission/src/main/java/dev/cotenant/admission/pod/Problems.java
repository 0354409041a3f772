package dev.cotenant.admission.pod;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects the problems of a pod's request, one line each: name, value, rule. */
final class Problems {
  private static final int MAX_VALUE_LENGTH = 60;

  private final Map<String, String> lineOfName = new LinkedHashMap<>();

  /** Adds a broken rule; the first one of each name counts. */
  void add(String name, String value, String rule) {
    lineOfName.putIfAbsent(name, name + " is " + quoted(value) + ": must be " + rule);
  }

  /** Adds those of another reading. */
  void addAll(Problems others) {
    others.lineOfName.forEach(lineOfName::putIfAbsent);
  }

  boolean isEmpty() {
    return lineOfName.isEmpty();
  }

  /** Problems in order of detection. */
  List<String> lines() {
    return List.copyOf(lineOfName.values());
  }

  /** The value on one line, shortened, with control characters made visible. */
  private static String quoted(String value) {
    StringBuilder text = new StringBuilder("\"");
    value.codePoints().limit(MAX_VALUE_LENGTH).forEach(point -> append(text, point));
    return text.append(value.length() > MAX_VALUE_LENGTH ? "…\"" : "\"").toString();
  }

  private static void append(StringBuilder text, int point) {
    if (Character.isISOControl(point) || Character.getType(point) == Character.FORMAT) {
      text.append(String.format("\\u%04x", point));
    } else {
      text.appendCodePoint(point);
    }
  }
}
