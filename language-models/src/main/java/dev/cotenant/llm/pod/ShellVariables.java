package dev.cotenant.llm.pod;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What is known of the variables of a script while its commands are read. */
final class ShellVariables {
  /** Commands that change the variables that they name. */
  private static final Set<String> DECLARING =
      Set.of(
          "unset",
          "read",
          "declare",
          "typeset",
          "local",
          "getopts",
          "mapfile",
          "readarray",
          "for",
          "select");

  /** Commands that assign as an assignment alone does; a name alone changes nothing. */
  private static final Set<String> EXPORTING = Set.of("export", "readonly");

  /** Commands that may change every variable. */
  private static final Set<String> RUNNING = Set.of(".", "source", "eval");

  private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*\\+?=[\\s\\S]*");
  private static final Pattern LITERAL = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*=[^~]*");

  private final Map<String, String> known;
  private final Set<String> changed = new HashSet<>();
  private boolean allChanged;

  ShellVariables(Map<String, String> environment) {
    known = new HashMap<>(environment);
  }

  @Nullable String value(String name) {
    return allChanged || changed.contains(name) ? null : known.get(name);
  }

  /**
   * Takes in what a command changes.
   *
   * @param parts what is known of each word
   * @param lasting whether it runs in any case, in the script's own shell
   */
  void after(List<String> words, List<String> parts, boolean lasting) {
    int from = 0;
    while (from < parts.size() && ShellWords.KEYWORDS.contains(parts.get(from))) {
      from++;
    }
    int first = from;
    while (from < parts.size() && ASSIGNMENT.matcher(parts.get(from)).matches()) {
      from++;
    }
    if (from == parts.size()) {
      for (int i = first; i < from; i++) {
        assign(words.get(i), parts.get(i), lasting);
      }
    } else if (EXPORTING.contains(parts.get(from))) {
      for (int i = from + 1; i < parts.size(); i++) {
        if (words.get(i).equals(ShellWords.UNKNOWN) || parts.get(i).indexOf('=') > 0) {
          allChanged |= parts.get(i).indexOf('=') <= 0;
          assign(words.get(i), parts.get(i), lasting);
        }
      }
    } else if (DECLARING.contains(parts.get(from))) {
      for (int i = from + 1; i < parts.size(); i++) {
        allChanged |= words.get(i).equals(ShellWords.UNKNOWN) && parts.get(i).indexOf('=') <= 0;
        changed.add(name(parts.get(i)));
      }
    } else {
      allChanged |= RUNNING.contains(parts.get(from));
    }
  }

  private void assign(String word, String part, boolean lasting) {
    String name = name(part);
    if (lasting && LITERAL.matcher(word).matches()) {
      known.put(name, word.substring(name.length() + 1));
      changed.remove(name);
    } else {
      changed.add(name);
    }
  }

  private static String name(String assignment) {
    int end = 0;
    while (end < assignment.length() && "+=".indexOf(assignment.charAt(end)) < 0) {
      end++;
    }
    return assignment.substring(0, end);
  }
}
