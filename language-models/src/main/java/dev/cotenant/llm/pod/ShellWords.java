package dev.cotenant.llm.pod;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Splits a shell's script into commands of words, without running anything: quotes are removed and
 * variables with a declared value are inserted; a word that holds anything else that a shell would
 * compute is unknown.
 */
final class ShellWords {
  /** Stands for a word that only running the script would tell. */
  static final String UNKNOWN = "\0unknown";

  private static final int MAX_SCRIPT = 1 << 16;

  private final String script;
  private final Map<String, String> environment;
  private final List<List<String>> commands = new ArrayList<>();
  private List<String> words = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();
  private boolean inWord;
  private boolean unknown;
  private int at;

  private ShellWords(String script, Map<String, String> environment) {
    this.script = script;
    this.environment = environment;
  }

  static List<List<String>> split(String script, Map<String, String> environment) {
    if (script.length() > MAX_SCRIPT) {
      return List.of();
    }
    ShellWords words = new ShellWords(script, environment);
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
        case '`', '(', ')', '<', '>', '*', '?' -> {
          inWord = true;
          unknown = true;
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
      } else if (next == '\\') {
        escaped();
      } else {
        word.append(next);
      }
    }
    at++;
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
    String value = environment.get(script.substring(start, end));
    if (end == start || !closed || value == null) {
      inWord = true;
      unknown = true;
      at = braced ? Math.max(end, script.indexOf('}', start) + 1) : end;
      if (!braced && at < script.length() && script.charAt(at) == '(') {
        at = Math.max(at + 1, script.indexOf(')', at) + 1);
      }
      return;
    }
    at = braced ? end + 1 : end;
    if (inQuotes) {
      word.append(value);
    } else {
      value.chars().forEach(next -> unquoted((char) next));
    }
  }

  /** Of a value without quotes: a pattern of file names is unknown. */
  private void unquoted(char next) {
    switch (next) {
      case ' ', '\t', '\n' -> endWord();
      case '*', '?', '[' -> {
        inWord = true;
        unknown = true;
      }
      default -> add(next);
    }
  }

  private void endWord() {
    if (inWord) {
      words.add(unknown ? UNKNOWN : word.toString());
    }
    word.setLength(0);
    inWord = false;
    unknown = false;
  }

  private void endCommand() {
    endWord();
    if (!words.isEmpty()) {
      commands.add(List.copyOf(words));
      words = new ArrayList<>();
    }
  }
}
