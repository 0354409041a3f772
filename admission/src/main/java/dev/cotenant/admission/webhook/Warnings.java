package dev.cotenant.admission.webhook;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Warnings within the limits of the API server: it recommends 120 characters, cuts at 256, and cuts
 * further beyond 4,096 bytes in total.
 */
public final class Warnings {
  static final int MAX_LENGTH = 256;
  static final int MAX_COUNT = 10;
  static final int MAX_BYTES = 4_096;

  private static final String PREFIX = "cotenant: ";

  private final List<String> lines = new ArrayList<>();
  private int bytes;

  public static List<String> of(String text) {
    return new Warnings().add(text).lines();
  }

  /**
   * Adds a warning, on one line, cut to length; beyond the tenth or the 4,096th byte it is dropped.
   */
  Warnings add(String text) {
    String line = shortened(PREFIX + text.replaceAll("\\s+", " "));
    int length = line.getBytes(StandardCharsets.UTF_8).length;
    if (lines.size() < MAX_COUNT && bytes + length <= MAX_BYTES) {
      lines.add(line);
      bytes += length;
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
