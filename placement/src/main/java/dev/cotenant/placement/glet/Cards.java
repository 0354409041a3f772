package dev.cotenant.placement.glet;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The GPUs of a plan in the making; what was done since a mark can be undone. */
final class Cards {
  /** What was in a place before a change; null where the place was new. */
  private record Change(int index, @Nullable Card before) {}

  private final int limit;
  private final List<Card> cards = new ArrayList<>();
  private final Deque<Change> changes = new ArrayDeque<>();

  /**
   * @param limit how many GPUs there are
   */
  Cards(int limit) {
    this.limit = limit;
  }

  /** One gpu-let of one GPU. */
  record Place(int card, int let) {}

  /** The GPUs opened so far. */
  List<Card> all() {
    return List.copyOf(cards);
  }

  int opened() {
    return cards.size();
  }

  /** Whether one more GPU can be opened. */
  boolean more() {
    return cards.size() < limit;
  }

  /** A GPU opened, or a whole free one at the next index. */
  Card get(int index) {
    return index == cards.size() ? Card.WHOLE : cards.get(index);
  }

  /** Puts a GPU in its place; at the next index it is opened. */
  void put(int index, Card card) {
    if (index == cards.size()) {
      changes.push(new Change(index, null));
      cards.add(card);
    } else {
      changes.push(new Change(index, cards.set(index, card)));
    }
  }

  int mark() {
    return changes.size();
  }

  /** Undoes what was done since. */
  void undoTo(int mark) {
    while (changes.size() > mark) {
      Change change = changes.pop();
      if (change.before() == null) {
        cards.remove(change.index());
      } else {
        cards.set(change.index(), change.before());
      }
    }
  }
}
