package dev.cotenant.placement.search;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/** Empties one device after the other, pushing services on as long as it takes. */
final class EjectionSearch {
  /*
   * Greedy starts with the services from large to small, in an order and by a rule that vary; then
   * one device is emptied (the least full, one time in three any) and its services go where they fit;
   * where one fits nowhere it takes the place of the one or two that are cheapest to push out, and a
   * service gets dearer each time it is pushed [ejection chains: Glover 1996; guided ejection for bin
   * packing: Nagata and Bräysy 2009]. In between, random moves and swaps that lower the units needed,
   * or make full devices fuller. Every step counts as effort, so that the same input takes the same
   * way.
   */
  private static final List<Packing.Rule> RULES = List.of(Packing.Rule.values());
  private static final int MOVES = 40;
  private static final int CHAIN = 60;
  private static final double NOISE = 0.25;
  private static final double SIZE_OFFSET = 0.2;
  private static final int ANY_OF = 3;

  private final Groups groups;
  private final SplittableRandom random;
  private final double[] penalties;

  EjectionSearch(Groups groups, long seed) {
    this.groups = groups;
    random = new SplittableRandom(seed);
    penalties = new double[groups.count()];
    Arrays.fill(penalties, 1);
  }

  /** A greedy plan; the first is without noise. */
  Packing greedy(List<Integer> services, int start) {
    double noise = start < RULES.size() ? 0 : NOISE;
    record Sized(int kind, double size) {}
    List<Sized> sized = new ArrayList<>();
    for (int kind : services) {
      sized.add(new Sized(kind, groups.alone(kind) * (1 + noise * random.nextDouble())));
    }
    sized.sort(Comparator.comparingDouble(Sized::size).reversed());
    Packing packing = new Packing(groups);
    Packing.Rule rule = RULES.get(start % RULES.size());
    sized.forEach(each -> packing.placeOrOpen(each.kind(), rule));
    return packing;
  }

  /** The same services on one device fewer where that is found within one chain; else unchanged. */
  Packing emptyOne(Packing packing) {
    Packing trial = packing.copy();
    for (int i = 0; i < MOVES; i++) {
      move(trial);
    }
    Packing before = trial.copy();
    Bin emptied = trial.bins.remove(choose(trial));
    Deque<Integer> waiting = new ArrayDeque<>();
    for (int kind : emptied.members()) {
      waiting.push(kind);
    }
    for (int step = 0; step < CHAIN && !waiting.isEmpty(); step++) {
      int kind = largest(waiting);
      if (!trial.place(kind, rule()) && !eject(trial, kind, waiting)) {
        return before;
      }
      move(trial);
    }
    return waiting.isEmpty() ? trial : before;
  }

  private Packing.Rule rule() {
    return random.nextBoolean() ? Packing.Rule.MIN_INCREASE : Packing.Rule.FULLEST;
  }

  private int choose(Packing packing) {
    if (random.nextInt(ANY_OF) == 0) {
      return random.nextInt(packing.size());
    }
    int least = 0;
    for (int i = 1; i < packing.size(); i++) {
      if (packing.bins.get(i).units() < packing.bins.get(least).units()) {
        least = i;
      }
    }
    return least;
  }

  private int largest(Deque<Integer> waiting) {
    int largest = waiting.peek();
    for (int kind : waiting) {
      largest = groups.alone(kind) > groups.alone(largest) ? kind : largest;
    }
    waiting.remove(largest);
    return largest;
  }

  private boolean eject(Packing packing, int kind, Deque<Integer> waiting) {
    Bin best = null;
    int first = -1;
    int second = -1;
    double least = Double.POSITIVE_INFINITY;
    int from = random.nextInt(packing.size());
    for (int k = 0; k < packing.size(); k++) {
      Bin bin = packing.bins.get((from + k) % packing.size());
      for (int i = 0; i < bin.size(); i++) {
        double one = price(bin.member(i));
        if (one < least && bin.trial(i, -1, kind) != Groups.TOO_MANY) {
          best = bin;
          first = i;
          second = -1;
          least = one;
        }
        for (int j = i + 1; j < bin.size(); j++) {
          double two = one + price(bin.member(j));
          if (two < least && bin.trial(i, j, kind) != Groups.TOO_MANY) {
            best = bin;
            first = i;
            second = j;
            least = two;
          }
        }
      }
    }
    if (best == null) {
      return false;
    }
    push(best, Math.max(first, second), waiting);
    if (second >= 0) {
      push(best, Math.min(first, second), waiting);
    }
    best.add(kind);
    return true;
  }

  private void push(Bin bin, int index, Deque<Integer> waiting) {
    int kind = bin.member(index);
    penalties[kind]++;
    waiting.push(kind);
    bin.removeAt(index);
  }

  private double price(int kind) {
    return penalties[kind] * (groups.alone(kind) + SIZE_OFFSET);
  }

  /**
   * Moves one or swaps two where that needs fewer units, or as many and full devices get fuller.
   */
  private void move(Packing packing) {
    if (packing.size() < 2) {
      return;
    }
    Bin from = packing.bins.get(random.nextInt(packing.size()));
    Bin to = packing.bins.get(random.nextInt(packing.size()));
    if (from == to || from.size() == 0 || to.size() == 0) {
      return;
    }
    int i = random.nextInt(from.size());
    int kind = from.member(i);
    int fromBefore = from.units();
    int toBefore = to.units();
    if (random.nextBoolean() && from.size() > 1) {
      int after = to.with(kind);
      if (after != Groups.TOO_MANY) {
        from.removeAt(i);
        if (worse(fromBefore, toBefore, from.units(), after)) {
          from.add(kind);
        } else {
          to.add(kind);
        }
      }
      return;
    }
    int j = random.nextInt(to.size());
    int other = to.member(j);
    if (kind == other) {
      return;
    }
    int toAfter = to.trial(j, -1, kind);
    int fromAfter = from.trial(i, -1, other);
    if (toAfter != Groups.TOO_MANY
        && fromAfter != Groups.TOO_MANY
        && !worse(fromBefore, toBefore, fromAfter, toAfter)) {
      from.removeAt(i);
      to.removeAt(j);
      from.add(other);
      to.add(kind);
    }
  }

  private static boolean worse(int fromBefore, int toBefore, int from, int to) {
    int sum = Integer.compare(from + to, fromBefore + toBefore);
    int squares =
        Integer.compare(from * from + to * to, fromBefore * fromBefore + toBefore * toBefore);
    return sum > 0 || (sum == 0 && squares < 0);
  }
}
