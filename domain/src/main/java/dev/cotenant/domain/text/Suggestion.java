package dev.cotenant.domain.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** The closest known name to a misspelt one. */
public final class Suggestion {
  /** Longer names are no misspelt words. */
  private static final int MAX_LENGTH = 80;

  /** Shorter beginnings say little. */
  private static final int MIN_BEGINNING = 4;

  private Suggestion() {}

  /**
   * The known name with the fewest inserted, deleted, replaced and swapped characters (optimal
   * string alignment), whatever their case; where more than a third of the longer one differs, the
   * longest known name that the name begins with. A known name is not misspelt.
   */
  public static Optional<String> of(String name, Collection<String> known) {
    if (name.length() > MAX_LENGTH || known.contains(name)) {
      return Optional.empty();
    }
    return known.stream()
        .filter(other -> 3 * distance(name, other) <= Math.max(name.length(), other.length()))
        .min(Comparator.comparingInt(other -> distance(name, other)))
        .or(() ->
            known.stream()
                .filter(other -> other.length() >= MIN_BEGINNING)
                .filter(other -> name.regionMatches(true, 0, other, 0, other.length()))
                .max(Comparator.comparingInt(String::length)));
  }

  /** {@code , perhaps 'NAME'}, for a message about {@code name}; nothing where there is none. */
  public static String words(String name, Collection<String> known) {
    return of(name, known).map(nearest -> ", perhaps '" + nearest + "'").orElse("");
  }

  private static int distance(String left, String right) {
    String a = left.toLowerCase(Locale.ROOT);
    String b = right.toLowerCase(Locale.ROOT);
    int[][] cost = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(cost, a, b, i, j);
      }
    }
    return cost[a.length()][b.length()];
  }

  private static int cheapest(int[][] cost, String a, String b, int i, int j) {
    boolean equal = a.charAt(i - 1) == b.charAt(j - 1);
    int least =
        Math.min(
            cost[i - 1][j - 1] + (equal ? 0 : 1), 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
    boolean swapped =
        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    return swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
  }
}
