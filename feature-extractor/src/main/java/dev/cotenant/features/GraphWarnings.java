package dev.cotenant.features;

import dev.cotenant.domain.text.PlainText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Distinct one-line warnings in order, the first {@value #LIMIT} of them. */
final class GraphWarnings {
  private static final int LIMIT = 100;
  private static final int MAX_LENGTH = 500;
  private final Set<String> lines = new LinkedHashSet<>();
  private int left;

  void add(String line) {
    String cut = line.length() > MAX_LENGTH ? line.substring(0, MAX_LENGTH) + "…" : line;
    String plain = PlainText.of(cut, " ");
    if (lines.size() < LIMIT) {
      lines.add(plain);
    } else if (!lines.contains(plain)) {
      left++;
    }
  }

  List<String> lines() {
    List<String> all = new ArrayList<>(lines);
    if (left > 0) {
      all.add(left + " more warnings");
    }
    return all;
  }
}
