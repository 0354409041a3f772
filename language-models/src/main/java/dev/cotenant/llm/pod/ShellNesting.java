package dev.cotenant.llm.pod;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/** Compound commands around the command that is read: within one it may run, or may not. */
final class ShellNesting {
  private static final String SUBSHELL = "(";
  private static final String CASE = "case";
  private static final Set<String> OPENING =
      Set.of("if", "while", "until", "for", "select", "{", CASE);
  private static final Set<String> CLOSING = Set.of("fi", "done", "}", "esac");

  private final Deque<String> open = new ArrayDeque<>();
  private boolean lost;
  private boolean piped;

  /** Nothing is known any more of what runs. */
  void lose() {
    lost = true;
  }

  /** The next command is at the end of a pipe, and so in a shell of its own. */
  void ranApart(boolean pipe) {
    piped = pipe;
  }

  void openSubshell() {
    open.push(SUBSHELL);
  }

  boolean isSubshell() {
    return SUBSHELL.equals(open.peek());
  }

  void close() {
    open.pop();
  }

  /** Whether a closing bracket ends a pattern here. */
  boolean isCase(List<String> words) {
    return CASE.equals(open.peek()) || (!words.isEmpty() && words.getFirst().equals(CASE));
  }

  /**
   * Takes in the words of the grammar that a command begins with.
   *
   * @return whether the command runs in any case, in the script's own shell
   */
  boolean enter(List<String> words) {
    boolean runs = open.isEmpty() && !lost && !piped;
    piped = false;
    for (String word : words) {
      if (OPENING.contains(word)) {
        open.push(word);
      } else if (CLOSING.contains(word)) {
        if (open.isEmpty() || isSubshell()) {
          lose();
        } else {
          open.pop();
        }
      } else if (!ShellWords.KEYWORDS.contains(word)) {
        break;
      }
    }
    return runs && open.isEmpty();
  }
}
