package dev.cotenant.llm.pod;

import dev.cotenant.llm.pod.ShellCommand.When;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Splits a shell's script into commands of words, without running anything: quotes are removed and
 * variables with a declared value are inserted, or with the literal that the script assigns to them
 * in any case; a word that holds anything else that a shell would compute is unknown. Commands in
 * subshells and in branches are read as others are, and say that they may not run.
 */
final class ShellWords {
  /** Stands for a word that only running the script would tell. */
  static final String UNKNOWN = "\0unknown";

  /** Words of the grammar before a command. */
  static final Set<String> KEYWORDS =
      Set.of("if", "then", "else", "elif", "do", "while", "until", "!", "{");

  private static final int MAX_SCRIPT = 1 << 16;

  private final String script;
  private final List<ShellCommand> commands = new ArrayList<>();
  private final Expansion expansion;
  private List<String> words = new ArrayList<>();

  /** Known text of each word of the command. */
  private final List<String> parts = new ArrayList<>();

  private final ShellVariables variables;
  private final ShellNesting nesting = new ShellNesting();

  /** Whether the command runs whatever became of those before it. */
  private boolean certain = true;

  /** Whether it runs in place of one that fails. */
  private boolean instead;

  private final StringBuilder word = new StringBuilder();
  private boolean inWord;
  private boolean unknown;
  private int at;

  private ShellWords(String script, Map<String, String> environment, Expansion expansion) {
    this.script = script;
    variables = new ShellVariables(environment);
    this.expansion = expansion;
  }

  static List<ShellCommand> split(
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
        case '\n', ';' -> endCommand(certain, true);
        case '&', '|' -> operator(next);
        case '(' -> opened();
        case ')' -> closed();
        case '\'' -> quoted();
        case '"' -> doubleQuoted();
        case '\\' -> escaped();
        case '$' -> variable(false);
        case '`' -> backquoted();
        case '>', '*', '?' -> computed();
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
    endCommand(certain, true);
  }

  /** And, or, a pipe, or the background; what these two run changes no variable of the script. */
  private void operator(char one) {
    boolean twice = at < script.length() && script.charAt(at) == one;
    if (twice) {
      at++;
    }
    endCommand(certain && twice, !twice);
    instead = twice && one == '|';
    if (!twice) {
      nesting.ranApart(one == '|');
    }
  }

  /** A subshell, where a command may begin; elsewhere a function or a word that is computed. */
  private void opened() {
    if (!inWord && words.stream().allMatch(KEYWORDS::contains)) {
      nesting.enter(words);
      words.clear();
      parts.clear();
      nesting.openSubshell();
      if (at < script.length() && script.charAt(at) == '(') {
        lose(); // arithmetic assigns
      }
    } else {
      lose(); // a function's body runs when it is called
      computed();
    }
  }

  /** Nothing is known any more of what runs, nor of any variable. */
  private void lose() {
    nesting.lose();
    variables.lose();
  }

  /** The end of a subshell, or of a pattern of a case. */
  private void closed() {
    if (nesting.isCase(words)) {
      endWord();
      nesting.enter(words);
      words.clear();
      parts.clear();
    } else if (nesting.isSubshell()) {
      endCommand(false, certain);
      nesting.close();
    } else {
      computed();
    }
  }

  private void computed() {
    inWord = true;
    unknown = true;
  }

  /** What a command prints; what it assigns changes no variable of the script. */
  private void backquoted() {
    computed();
    int end = script.indexOf('`', at);
    at = end < 0 ? script.length() : end + 1;
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
        backquoted();
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
    String value = variables.value(script.substring(start, end));
    if (end == start || !closed || value == null) {
      unknownVariable(start, end, braced, inQuotes);
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

  /** What a shell computes; where that ends is not certain if it holds brackets or quotes. */
  private void unknownVariable(int start, int end, boolean braced, boolean inQuotes) {
    computed();
    int from = end;
    at = braced ? Math.max(end, script.indexOf('}', start) + 1) : end;
    boolean opens = end == start && end < script.length();
    if (!braced && opens && script.charAt(at) == '(') {
      from = at + 1;
      at = Math.max(from, script.indexOf(')', at) + 1);
    }
    boolean quotes = !inQuotes && opens && !braced && "'\"".indexOf(script.charAt(end)) >= 0;
    if (quotes
        || script
            .substring(Math.min(from, at), at)
            .chars()
            .anyMatch(next -> (braced ? "=\"'`" : "(\"'`\\").indexOf(next) >= 0)) {
      lose();
    }
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

  /**
   * Ends a command.
   *
   * @param lasting whether its assignments hold for those after it
   * @param next whether the next one runs whatever becomes of it
   */
  private void endCommand(boolean lasting, boolean next) {
    endWord();
    if (!words.isEmpty()) {
      boolean isOutside = nesting.isOutside();
      boolean runs = nesting.enter(words);
      variables.after(words, parts, lasting && runs);
      if (nesting.isLost()) {
        variables.lose();
      }
      parts.clear();
      boolean perhaps = instead || !isOutside || !nesting.isOutside();
      commands.add(
          new ShellCommand(
              words, perhaps ? When.PERHAPS : certain ? When.ALWAYS : When.AFTER_SUCCESS));
      words = new ArrayList<>();
      instead = false;
    }
    certain = next;
  }
}
