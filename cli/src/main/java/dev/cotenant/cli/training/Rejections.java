package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Words;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Rejected lines for a person: each where they are few, otherwise counted by reason. */
final class Rejections {
  private static final int MAX_LINES = 40;

  private Rejections() {}

  /**
   * Lines to print.
   *
   * @param rejected {@code FILE:LINE: REASON} each
   */
  static List<String> of(List<String> rejected) {
    if (rejected.size() <= MAX_LINES) {
      return rejected;
    }
    Comparator<List<String>> byCount = Comparator.comparingInt(lines -> -lines.size());
    List<String> lines =
        rejected.stream()
            .collect(Collectors.groupingBy(Rejections::reason, TreeMap::new, Collectors.toList()))
            .values()
            .stream()
            .sorted(byCount)
            .limit(MAX_LINES)
            .map(same -> Words.count(same.size()) + " such as " + same.getFirst())
            .collect(Collectors.toList());
    lines.add("(--json lists every line)");
    return lines;
  }

  private static String reason(String line) {
    return line.replaceFirst("^.*?:[0-9]+: ", "");
  }
}
