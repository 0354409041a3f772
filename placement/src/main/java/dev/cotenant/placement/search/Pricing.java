package dev.cotenant.placement.search;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds groups of services that are worth more than a device at given prices. */
final class Pricing {
  /*
   * Depth first over kinds by price for each unit that they need alone. Nodes are sets that may fit
   * by the Relaxation; a node is cut where even the best knapsack of what is left, at what each kind
   * needs at least beside those that are there, does not reach the threshold. Sets beyond it are
   * then worked out by Groups; where they do fit they are columns.
   */
  private static final int L2_STRIDE = 4;
  private static final int WATTS_STRIDE = 4;
  private static final int L2_COUNT = Relaxation.L2_STEPS / L2_STRIDE;
  private static final int WATTS_COUNT = Relaxation.WATTS_STEPS / WATTS_STRIDE;

  private final Groups groups;
  private final Relaxation relaxation;
  private final int[] demand;
  private final int whole;

  private final int[] members;
  private int[] order = new int[0];
  private double[] prices = new double[0];
  private double[][][] knapsacks = new double[0][][];
  private long nodes;
  private long limit;
  private double threshold;
  private double relaxed;
  private List<Found> found = new ArrayList<>();

  /** A group with its value. */
  record Found(Column column, double value) {}

  Pricing(Groups groups, Relaxation relaxation, int[] demand) {
    this.groups = groups;
    this.relaxation = relaxation;
    this.demand = demand;
    whole = groups.needs().wholeUnits();
    members = new int[whole + 1];
  }

  /** Whether the last search went through to its end. */
  boolean finished() {
    return nodes < limit;
  }

  /** No group is worth more, where the last search went through to its end. */
  double most() {
    return relaxed;
  }

  /**
   * Groups worth more than a threshold, the dearest first.
   *
   * @param prices of the kinds
   * @param threshold at least
   * @param limit of nodes
   */
  List<Found> search(double[] prices, double threshold, long limit) {
    this.prices = prices;
    this.threshold = threshold;
    this.limit = limit;
    nodes = 0;
    relaxed = threshold;
    found = new ArrayList<>();
    List<Integer> worth = new ArrayList<>();
    for (int i = 0; i < demand.length; i++) {
      if (prices[i] > 1e-9 && demand[i] > 0 && groups.alone(i) <= whole) {
        worth.add(i);
      }
    }
    worth.sort(
        Comparator.comparingDouble((Integer kind) -> -prices[kind] / groups.alone(kind))
            .thenComparingInt(kind -> kind));
    order = worth.stream().mapToInt(kind -> kind).toArray();
    knapsacks = new double[(Relaxation.MEMBERS + 1) * L2_COUNT * WATTS_COUNT][][];
    descend(0, 0, 0);
    found.sort(Comparator.comparingDouble(each -> -each.value()));
    return found;
  }

  private void descend(int from, int size, double value) {
    if (++nodes >= limit) {
      return;
    }
    int room = whole - relaxation.units(members, size, size + 1);
    if (room < 1) {
      return;
    }
    double[][] left = knapsack(size + 1);
    for (int k = from; k < order.length; k++) {
      if (value + left[k][room] <= threshold) {
        return;
      }
      int kind = order[k];
      if (count(kind, size) >= demand[kind]) {
        continue;
      }
      members[size] = kind;
      if (relaxation.units(members, size + 1, size + 1) > whole || !memoryFits(size + 1)) {
        continue;
      }
      double with = value + prices[kind];
      if (with > threshold) {
        offer(size + 1, with);
      }
      descend(k, size + 1, with);
      if (nodes >= limit) {
        return;
      }
    }
  }

  private int count(int kind, int size) {
    int count = 0;
    for (int i = size - 1; i >= 0 && members[i] == kind; i--) {
      count++;
    }
    return count;
  }

  private boolean memoryFits(int size) {
    long memory = 0;
    for (int i = 0; i < size; i++) {
      memory += groups.kinds().get(members[i]).memoryBytes();
    }
    return memory <= groups.memoryBytes();
  }

  /** Beside the group settled last, which will have so many members. */
  private double[][] knapsack(int all) {
    int l2Step = Relaxation.l2Step(relaxation.l2Percent()) / L2_STRIDE;
    int wattsStep = relaxation.wattsStep(relaxation.watts()) / WATTS_STRIDE;
    int n = Math.min(all, Relaxation.MEMBERS);
    int index = (n * L2_COUNT + l2Step) * WATTS_COUNT + wattsStep;
    double[][] known = knapsacks[index];
    if (known == null) {
      int[] weights = new int[order.length];
      for (int k = 0; k < weights.length; k++) {
        weights[k] = relaxation.unitsAt(order[k], n, l2Step * L2_STRIDE, wattsStep * WATTS_STRIDE);
      }
      known = bestKnapsack(weights);
      knapsacks[index] = known;
    }
    return known;
  }

  /** Σ of prices of kinds from each place in the order on, by units left. */
  private double[][] bestKnapsack(int[] weights) {
    double[][] best = new double[order.length + 1][whole + 1];
    for (int k = order.length - 1; k >= 0; k--) {
      int weight = weights[k];
      double price = prices[order[k]];
      double[] row = best[k];
      System.arraycopy(best[k + 1], 0, row, 0, whole + 1);
      for (int units = weight; units <= whole; units++) {
        row[units] = Math.max(row[units], row[units - weight] + price);
      }
    }
    return best;
  }

  private void offer(int size, double value) {
    long hash = 0;
    for (int i = 0; i < size; i++) {
      hash += groups.hash(members[i]);
    }
    if (groups.total(members, size, hash) != Groups.TOO_MANY) {
      relaxed = Math.max(relaxed, value);
      found.add(new Found(Column.of(members, size), value));
    } else if (value > relaxed && relaxation.mayFit(members, size)) {
      relaxed = value;
    }
  }
}
