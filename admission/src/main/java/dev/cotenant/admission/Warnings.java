package dev.cotenant.admission;

import java.util.ArrayList;
import java.util.List;

/**
 * Warnings that the API server passes on whole: it recommends 120 characters, cuts at 256 and drops
 * what goes beyond 4,096 in all.
 */
final class Warnings {
  static final int MAX_LENGTH = 120;
  static final int MAX_COUNT = 10;

  private static final String PREFIX = "cotenant: ";

  private final List<String> lines = new ArrayList<>();

  static List<String> of(String text) {
    return new Warnings().add(text).lines();
  }

  /** Adds a warning, on one line, cut to length; beyond the tenth it is dropped. */
  Warnings add(String text) {
    if (lines.size() < MAX_COUNT) {
      lines.add(shortened(PREFIX + text.replaceAll("\\s+", " ")));
    }
    return this;
  }

  Warnings addAll(List<String> texts) {
    texts.forEach(this::add);
    return this;
  }

  List<String> lines() {
    return List.copyOf(lines);
  }

  private static String shortened(String text) {
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH - 1) + "…";
  }
}
