package dev.cotenant.placement.glet;

import java.util.List;

/**
 * What a strategy makes of one kind of GPU.
 *
 * @param cards GPUs in use, in the order in which they were opened
 * @param left those that have no place
 */
record Layout(List<Card> cards, List<Tenant> left) {
  Layout {
    cards = List.copyOf(cards);
    left = List.copyOf(left);
  }
}
