package dev.cotenant.llm.pod;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Known variables of a script while its commands are read. */
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
  private static final Set<String> RUNNING = Set.of(".", "source", "eval", "let");

  /** Commands after which the assignments before them last, in some shells. */
  private static final Set<String> SPECIAL =
      Set.of(":", "exec", "export", "readonly", "return", "set", "shift", "times", "trap", "unset");

  /** Words that run the command after them and its options. */
  private static final Set<String> PREFIXES = Set.of("command", "builtin", "time", "coproc");

  /** Assignments to elements, and options that let one name stand for another or assign. */
  private static final Pattern ELEMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*\\[[\\s\\S]*");

  private static final Pattern REFERRING = Pattern.compile("-[A-Za-z]*n[A-Za-z]*");

  private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*\\+?=[\\s\\S]*");
  private static final Pattern LITERAL = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*=[^~]*");

  private final Map<String, String> known;
  private final Set<String> changed = new HashSet<>();
  private boolean allChanged;

  ShellVariables(Map<String, String> environment) {
    known = new HashMap<>(environment);
  }

  /** No variable is known any more. */
  void lose() {
    allChanged = true;
  }

  @Nullable String value(String name) {
    return allChanged || changed.contains(name) ? null : known.get(name);
  }

  /**
   * Takes in what a command changes.
   *
   * @param parts known text of each word
   * @param lasting whether it runs in any case, in the script's own shell
   */
  void after(List<String> words, List<String> parts, boolean lasting) {
    int first = 0;
    while (first < parts.size() && isBeforeCommand(parts, first)) {
      first++;
    }
    int from = first;
    while (from < parts.size() && ASSIGNMENT.matcher(parts.get(from)).matches()) {
      from++;
    }
    if (from == parts.size()) {
      for (int i = first; i < from; i++) {
        assign(words.get(i), parts.get(i), lasting);
      }
      return;
    }
    String command = parts.get(from);
    if (SPECIAL.contains(command)) {
      parts.subList(first, from).forEach(part -> changed.add(name(part)));
    }
    allChanged |= words.get(from).equals(ShellWords.UNKNOWN) || isLosing(command, parts);
    List<String> after = words.subList(from + 1, parts.size());
    List<String> partsAfter = parts.subList(from + 1, parts.size());
    if (DECLARING.contains(command)) {
      declared(after, partsAfter);
    } else if (EXPORTING.contains(command)) {
      exported(after, partsAfter, lasting);
    }
  }

  /** A word of the grammar, or one that runs the command after it, with that word's options. */
  private static boolean isBeforeCommand(List<String> parts, int at) {
    return ShellWords.KEYWORDS.contains(parts.get(at))
        || PREFIXES.contains(parts.get(at))
        || (at > 0
            && parts.get(at).startsWith("-")
            && parts.subList(0, at).stream().anyMatch(PREFIXES::contains));
  }

  /** Whether any variable may have another value after a command. */
  private static boolean isLosing(String command, List<String> parts) {
    return RUNNING.contains(command)
        || ELEMENT.matcher(command).matches()
        || (command.equals("printf") && parts.stream().anyMatch(part -> part.startsWith("-v")))
        || (DECLARING.contains(command)
            && parts.stream().anyMatch(part -> REFERRING.matcher(part).matches()));
  }

  private void declared(List<String> words, List<String> parts) {
    for (int i = 0; i < parts.size(); i++) {
      allChanged |= words.get(i).equals(ShellWords.UNKNOWN) && parts.get(i).indexOf('=') <= 0;
      changed.add(name(parts.get(i)));
    }
  }

  private void exported(List<String> words, List<String> parts, boolean lasting) {
    for (int i = 0; i < parts.size(); i++) {
      if (words.get(i).equals(ShellWords.UNKNOWN) || parts.get(i).indexOf('=') > 0) {
        allChanged |= parts.get(i).indexOf('=') <= 0;
        assign(words.get(i), parts.get(i), lasting);
      }
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
