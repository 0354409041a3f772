package dev.cotenant.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** As much of PromQL as tells which series an expression asks for. */
final class PromQl {
  private static final Pattern GROUPING = Pattern.compile("\\b(by|without)\\s*\\([^)]*\\)");
  private static final Pattern SELECTOR =
      Pattern.compile("\\b([a-z_:][a-z0-9_:]*)\\s*(\\{[^}]*})?(?!\\s*\\()(?![a-z0-9_:])");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)\\s*(=~|!~|!=|=)");
  private static final Set<String> WORDS =
      Set.of(
          "and", "or", "unless", "on", "ignoring", "group_left", "group_right", "bool", "offset");

  private PromQl() {}

  /**
   * One selector.
   *
   * @param metric the metric's name
   * @param labels names of the labels that it asks about
   */
  record Selector(String metric, Set<String> labels) {}

  static List<Selector> selectors(String expression) {
    String code = expression.replaceAll("\"[^\"]*\"", "\"\"").replaceAll("\\[[^\\]]*]", "");
    code = GROUPING.matcher(code).replaceAll("");
    List<Selector> selectors = new ArrayList<>();
    SELECTOR
        .matcher(code)
        .results()
        .filter(found -> !WORDS.contains(found.group(1)) && !isDuration(found.group(1)))
        .forEach(found -> selectors.add(new Selector(found.group(1), labels(found))));
    return selectors;
  }

  private static Set<String> labels(MatchResult found) {
    Set<String> labels = new TreeSet<>();
    if (found.group(2) != null) {
      LABEL.matcher(found.group(2)).results().forEach(label -> labels.add(label.group(1)));
    }
    return labels;
  }

  private static boolean isDuration(String word) {
    return Set.of("s", "m", "h", "d").contains(word);
  }
}
