package dev.cotenant.llm.pod;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Splits a shell's script into commands of words, without running anything: quotes are removed and
 * variables with a declared value are inserted until the script changes them; a word that holds
 * anything else that a shell would compute is unknown.
 */
final class ShellWords {
  /** Stands for a word that only running the script would tell. */
  static final String UNKNOWN = "\0unknown";

  /** Words of the grammar before a command. */
  static final Set<String> KEYWORDS =
      Set.of("if", "then", "else", "elif", "do", "while", "until", "!", "{");

  /** Commands that change the variables that they name. */
  private static final Set<String> DECLARING =
      Set.of(
          "export",
          "unset",
          "read",
          "declare",
          "typeset",
          "local",
          "readonly",
          "getopts",
          "mapfile",
          "readarray",
          "for");

  /** Commands that may change every variable. */
  private static final Set<String> RUNNING = Set.of(".", "source", "eval");

  private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*\\+?=[\\s\\S]*");
  private static final int MAX_SCRIPT = 1 << 16;

  private final String script;
  private final Map<String, String> environment;
  private final List<List<String>> commands = new ArrayList<>();
  private final Expansion expansion;
  private List<String> words = new ArrayList<>();

  /** What is known of each word of the command. */
  private final List<String> parts = new ArrayList<>();

  private final Set<String> changed = new HashSet<>();
  private boolean allChanged;
  private final StringBuilder word = new StringBuilder();
  private boolean inWord;
  private boolean unknown;
  private int at;

  private ShellWords(String script, Map<String, String> environment, Expansion expansion) {
    this.script = script;
    this.environment = environment;
    this.expansion = expansion;
  }

  static List<List<String>> split(
      String script, Map<String, String> environment, Expansion expansion) {
    if (script.length() > MAX_SCRIPT) {
      return List.of();
    }
    ShellWords words = new ShellWords(script, environment, expansion);
    words.read();
    return words.commands;
  }

  private void read() {
    while (at < script.length()) {
      char next = script.charAt(at++);
      switch (next) {
        case ' ', '\t' -> endWord();
        case '\n', ';', '&', '|' -> endCommand();
        case '\'' -> quoted();
        case '"' -> doubleQuoted();
        case '\\' -> escaped();
        case '$' -> variable(false);
        case '`', '(', ')', '>', '*', '?' -> computed();
        case '<' -> {
          computed();
          if (at < script.length() && script.charAt(at) == '<') {
            at = script.length(); // a here-document: its end may be computed
          }
        }
        case '#' -> {
          if (inWord) {
            add(next);
          } else {
            at = Math.max(at, endOfLine());
          }
        }
        default -> add(next);
      }
    }
    endCommand();
  }

  private void computed() {
    inWord = true;
    unknown = true;
  }

  private int endOfLine() {
    int end = script.indexOf('\n', at);
    return end < 0 ? script.length() : end;
  }

  private void add(char next) {
    inWord = true;
    word.append(next);
  }

  private void escaped() {
    if (at < script.length()) {
      char next = script.charAt(at++);
      if (next != '\n') {
        add(next);
      }
    }
  }

  private void quoted() {
    inWord = true;
    int end = script.indexOf('\'', at);
    int stop = end < 0 ? script.length() : end;
    word.append(script, at, stop);
    at = stop + 1;
  }

  private void doubleQuoted() {
    inWord = true;
    while (at < script.length() && script.charAt(at) != '"') {
      char next = script.charAt(at++);
      if (next == '$') {
        variable(true);
      } else if (next == '`') {
        unknown = true;
      } else if (next == '\\' && isEscapable()) {
        escaped();
      } else {
        word.append(next);
      }
    }
    at++;
  }

  /** Whether a backslash in double quotes escapes what follows. */
  private boolean isEscapable() {
    return at < script.length() && "$`\"\\\n".indexOf(script.charAt(at)) >= 0;
  }

  /**
   * Inserts a declared variable; without quotes its blanks divide words, and an empty one is none.
   */
  private void variable(boolean inQuotes) {
    boolean braced = at < script.length() && script.charAt(at) == '{';
    int start = braced ? at + 1 : at;
    int end = start;
    while (end < script.length()
        && (Character.isLetterOrDigit(script.charAt(end)) || script.charAt(end) == '_')) {
      end++;
    }
    boolean closed = !braced || (end < script.length() && script.charAt(end) == '}');
    String value = value(script.substring(start, end));
    if (end == start || !closed || value == null) {
      computed();
      at = braced ? Math.max(end, script.indexOf('}', start) + 1) : end;
      if (!braced && at < script.length() && script.charAt(at) == '(') {
        at = Math.max(at + 1, script.indexOf(')', at) + 1);
      }
      return;
    }
    at = braced ? end + 1 : end;
    if (!expansion.takes(value.length())) {
      computed();
      at = script.length();
      return;
    }
    if (inQuotes) {
      word.append(value);
    } else {
      value.chars().forEach(next -> unquoted((char) next));
    }
  }

  private @Nullable String value(String name) {
    return allChanged || changed.contains(name) ? null : environment.get(name);
  }

  /** Of a value without quotes: a pattern of file names is unknown. */
  private void unquoted(char next) {
    switch (next) {
      case ' ', '\t', '\n' -> endWord();
      case '*', '?', '[' -> computed();
      default -> add(next);
    }
  }

  private void endWord() {
    if (inWord) {
      String text = word.toString();
      words.add(unknown ? UNKNOWN : text);
      parts.add(text);
    }
    word.setLength(0);
    inWord = false;
    unknown = false;
  }

  private void endCommand() {
    endWord();
    if (!words.isEmpty()) {
      change();
      parts.clear();
      commands.add(List.copyOf(words));
      words = new ArrayList<>();
    }
  }

  /** Notes the variables that a command changes. */
  private void change() {
    int from = 0;
    while (from < parts.size() && KEYWORDS.contains(parts.get(from))) {
      from++;
    }
    int first = from;
    while (from < parts.size() && ASSIGNMENT.matcher(parts.get(from)).matches()) {
      from++;
    }
    if (from == parts.size()) {
      parts.subList(first, from).forEach(this::changed);
    } else if (DECLARING.contains(parts.get(from))) {
      for (int i = from + 1; i < parts.size(); i++) {
        allChanged |= words.get(i).equals(UNKNOWN) && parts.get(i).indexOf('=') <= 0;
        changed(parts.get(i));
      }
    } else {
      allChanged |= RUNNING.contains(parts.get(from));
    }
  }

  private void changed(String assignment) {
    int end = 0;
    while (end < assignment.length() && "+=".indexOf(assignment.charAt(end)) < 0) {
      end++;
    }
    changed.add(assignment.substring(0, end));
  }
}
