package dev.cotenant.service;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The order in which faults happen. */
public final class FaultRounds {
  private FaultRounds() {}

  /** Each fault in turn, in an order of its own, with a random pair after each. */
  public static <T> List<List<T>> next(List<T> faults, Random random) {
    List<T> order = new ArrayList<>(faults);
    Collections.shuffle(order, random);
    List<List<T>> round = new ArrayList<>();
    for (T fault : order) {
      round.add(List.of(fault));
      int first = random.nextInt(order.size());
      int other = (first + 1 + random.nextInt(order.size() - 1)) % order.size();
      round.add(List.of(order.get(first), order.get(other)));
    }
    return round;
  }
}
