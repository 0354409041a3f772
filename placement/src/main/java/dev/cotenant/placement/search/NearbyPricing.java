package dev.cotenant.placement.search;

import java.util.ArrayList;
import java.util.List;

/** Finds groups worth more than a device next to given ones: quick, and not complete. */
final class NearbyPricing {
  /*
   * From a group: take out none, one or two members, and put in the one or two kinds that are worth
   * most; as long as that gains, go on from there. Columns in use are worth exactly one device, so
   * that any gain next to them is a new column.
   */
  private static final double GAIN = 1e-6;

  private final Groups groups;
  private final int[] demand;
  private final Effort effort;
  private double[] prices = new double[0];
  private int depth;

  NearbyPricing(Groups groups, int[] demand, Effort effort) {
    this.groups = groups;
    this.effort = effort;
    this.demand = demand;
  }

  /** The best group that is reached from here, where it is worth more than one device. */
  List<Column> search(double[] prices, List<Column> from, int depth) {
    this.prices = prices;
    this.depth = depth;
    List<Column> found = new ArrayList<>();
    for (Column column : from) {
      if (effort.isOver()) {
        break;
      }
      Bin bin = new Bin(groups, column.members());
      boolean gained = improve(bin);
      for (int round = 0; gained && round < 8; round++) {
        gained = improve(bin);
      }
      Column reached = Column.of(bin.members(), bin.size());
      if (reached.value(prices) > 1 + GAIN) {
        found.add(reached);
      }
    }
    return found;
  }

  private boolean improve(Bin bin) {
    Change best = new Change();
    tryAdding(bin, 0, best);
    for (int i = 0; i < bin.size(); i++) {
      if (i > 0 && bin.member(i) == bin.member(i - 1)) {
        continue;
      }
      int first = bin.member(i);
      Bin without = bin.copy();
      without.removeAt(i);
      best.removed(first, -1);
      tryAdding(without, -price(first), best);
      for (int j = 0; j < without.size() && depth > 1; j++) {
        int second = without.member(j);
        if (second <= first) {
          Bin less = without.copy();
          less.removeAt(j);
          best.removed(first, second);
          tryAdding(less, -price(first) - price(second), best);
        }
      }
    }
    if (best.gain <= GAIN) {
      return false;
    }
    best.apply(bin);
    return true;
  }

  private void tryAdding(Bin bin, double gain, Change best) {
    int[] fitting = new int[demand.length];
    int count = 0;
    for (int kind = 0; kind < demand.length; kind++) {
      if (price(kind) > GAIN
          && count(bin, kind) < demand[kind]
          && bin.with(kind) != Groups.TOO_MANY) {
        fitting[count++] = kind;
        best.offer(gain + price(kind), kind, -1);
      }
    }
    for (int i = 0; i < count; i++) {
      Bin with = bin.copy();
      with.add(fitting[i]);
      for (int j = i; j < count; j++) {
        double total = gain + price(fitting[i]) + price(fitting[j]);
        if (total > best.gain + GAIN
            && count(with, fitting[j]) < demand[fitting[j]]
            && with.with(fitting[j]) != Groups.TOO_MANY) {
          best.offer(total, fitting[i], fitting[j]);
        }
      }
    }
  }

  private double price(int kind) {
    return prices[kind];
  }

  private static int count(Bin bin, int kind) {
    int count = 0;
    for (int i = 0; i < bin.size(); i++) {
      count += bin.member(i) == kind ? 1 : 0;
    }
    return count;
  }

  /** The best change seen. */
  private static final class Change {
    private double gain;
    private int outFirst = -1;
    private int outSecond = -1;
    private int first = -1;
    private int second = -1;
    private final int[] best = {-1, -1, -1, -1};

    void removed(int kind, int other) {
      outFirst = kind;
      outSecond = other;
    }

    void offer(double offered, int kind, int other) {
      if (offered > gain) {
        gain = offered;
        first = kind;
        second = other;
        best[0] = outFirst;
        best[1] = outSecond;
        best[2] = first;
        best[3] = second;
      }
    }

    void apply(Bin bin) {
      for (int k = 0; k < 2; k++) {
        for (int i = 0; best[k] >= 0 && i < bin.size(); i++) {
          if (bin.member(i) == best[k]) {
            bin.removeAt(i);
            break;
          }
        }
      }
      for (int k = 2; k < best.length; k++) {
        if (best[k] >= 0) {
          bin.add(best[k]);
        }
      }
    }
  }
}
