package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.Promotion.Grounds;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** What holds for promotions of predictors and of forecasts. */
final class PromotionRules {
  private static final int MAX_TEXT = 200;

  private PromotionRules() {}

  /** The text without spaces around it; an error names it where it is empty, long or not text. */
  static String requireText(String text, String name) {
    String stripped = text.strip();
    if (stripped.isEmpty()
        || stripped.length() > MAX_TEXT
        || stripped.chars().anyMatch(Character::isISOControl)) {
      throw InputException.invalidArgument(
          "bad-text", "'" + name + "' must be 1 to " + MAX_TEXT + " printable characters.");
    }
    return stripped;
  }

  /**
   * SHA-256 of what served before the present version was promoted.
   *
   * @param promotions all, oldest first
   * @throws ConflictException ({@code no-previous-version}) when there was nothing
   */
  static String previous(List<Promotion> promotions) {
    Deque<Promotion> before = new ArrayDeque<>();
    for (Promotion promotion : promotions) {
      if (promotion.grounds() == Grounds.ROLLBACK) {
        while (!before.isEmpty() && !before.peek().version().equals(promotion.version())) {
          before.pop();
        }
      } else {
        before.push(promotion);
      }
    }
    if (before.size() < 2) {
      throw new ConflictException(
          "no-previous-version", "There is no version before the active one to roll back to.");
    }
    before.pop();
    return before.element().version();
  }
}
