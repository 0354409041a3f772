package dev.cotenant.features;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Distinct one-line warnings in order, the first {@value #LIMIT} of them. */
final class Warnings {
  private static final int LIMIT = 100;
  private static final int LONGEST = 500;
  private final Set<String> lines = new LinkedHashSet<>();
  private int left;

  void add(String line) {
    String plain = line.replaceAll("\\p{Cntrl}", " ");
    String cut = plain.length() > LONGEST ? plain.substring(0, LONGEST) + "…" : plain;
    if (lines.size() < LIMIT) {
      lines.add(cut);
    } else if (!lines.contains(cut)) {
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
