package dev.cotenant.placement.search;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Plans from columns: which groups of services fill devices best, by column generation and diving.
 */
final class ColumnSearch {
  /*
   * The linear program over all groups that fit on a device says what each service is worth; groups
   * worth more than a device are added until none is found [Gilmore and Gomory 1961]. A dive takes
   * the columns that the solution uses most, one at a time, covers the rest again and prices some
   * more, until all are covered [Sadykov et al. 2019]. At most() the prices prove a bound: where no
   * group is worth more than z, no plan needs fewer than Σ price / z devices [Farley 1990].
   */
  private static final int NEARBY_ROUNDS = 80;
  private static final int DIVE_ROUNDS = 2;
  private static final double ROUNDING = 1e-6;

  private final Groups groups;
  private final int[] demand;
  private final Effort effort;
  private final CoveringProgram program;
  private final SplittableRandom random;

  ColumnSearch(Groups groups, int[] demand, Effort effort, long seed) {
    this.groups = groups;
    this.demand = demand.clone();
    this.effort = effort;
    random = new SplittableRandom(seed);
    List<Column> singles = new ArrayList<>();
    for (int kind = 0; kind < demand.length; kind++) {
      Bin bin = new Bin(groups, kind);
      while (bin.size() < demand[kind] && bin.with(kind) != Groups.TOO_MANY) {
        bin.add(kind);
      }
      singles.add(Column.of(bin.members(), bin.size()));
    }
    program = new CoveringProgram(demand, singles);
  }

  /** Takes in the devices of a plan. */
  void learn(Packing packing) {
    packing.bins.forEach(bin -> program.add(Column.of(bin.members(), bin.size())));
  }

  /**
   * Prices until nothing more is found nearby; what the linear program then needs.
   *
   * @param depth how many members of a group are exchanged at a time, 1 or 2
   */
  double generate(int depth) {
    NearbyPricing nearby = new NearbyPricing(groups, demand, effort);
    program.demand(demand);
    program.solve();
    for (int round = 0; round < NEARBY_ROUNDS && !effort.isOver(); round++) {
      List<Column> found = nearby.search(program.prices(), program.used(), depth);
      if (found.isEmpty()) {
        break;
      }
      found.forEach(program::add);
      program.solve();
    }
    return program.objective();
  }

  /** A plan from the columns; the noisier, the less it follows the linear program. */
  Packing dive(double noise, int atMost) {
    int[] left = demand.clone();
    Packing packing = new Packing(groups);
    NearbyPricing nearby = new NearbyPricing(groups, left, effort);
    while (remain(left) && !effort.isOver()) {
      program.demand(left);
      program.solve();
      for (int round = 0; round < DIVE_ROUNDS; round++) {
        List<Column> found = nearby.search(program.prices(), program.used(), 1);
        found.forEach(program::add);
        program.solve();
        if (found.isEmpty()) {
          break;
        }
      }
      if (packing.size() + Math.ceil(program.objective() - 0.01) > atMost) {
        break;
      }
      fix(packing, left, noise);
    }
    complete(packing, left);
    return packing;
  }

  private static boolean remain(int[] left) {
    for (int count : left) {
      if (count > 0) {
        return true;
      }
    }
    return false;
  }

  private void fix(Packing packing, int[] left, double noise) {
    double[] solution = program.solution();
    int best = -1;
    double most = 0;
    boolean whole = false;
    for (int j = 0; j < solution.length; j++) {
      for (int times = (int) (solution[j] + ROUNDING); times > 0; times--) {
        take(packing, left, program.column(j));
        whole = true;
      }
      double value = solution[j] * (1 + noise * random.nextDouble());
      if (value > most) {
        most = value;
        best = j;
      }
    }
    if (!whole && best >= 0) {
      take(packing, left, program.column(best));
    }
  }

  private void take(Packing packing, int[] left, Column column) {
    Bin bin = new Bin(groups);
    for (int kind : column.members()) {
      if (left[kind] > 0) {
        left[kind]--;
        bin.add(kind);
      }
    }
    if (bin.size() > 0) {
      packing.bins.add(bin);
    }
  }

  private void complete(Packing packing, int[] left) {
    List<Integer> rest = new ArrayList<>();
    for (int kind = 0; kind < left.length; kind++) {
      for (int i = 0; i < left[kind]; i++) {
        rest.add(kind);
      }
    }
    rest.sort((a, b) -> Integer.compare(groups.alone(b), groups.alone(a)));
    rest.forEach(kind -> packing.placeOrOpen(kind, Packing.Rule.FULLEST));
  }

  /** Largest proved lower bound on the number of devices, starting from a known one. */
  int bound(Relaxation relaxation, int known, long nodes) {
    double needed = generate(2);
    double[] prices = program.prices().clone();
    double value = 0;
    for (int kind = 0; kind < prices.length; kind++) {
      prices[kind] = Math.max(0, prices[kind]);
      value += prices[kind] * demand[kind];
    }
    Pricing pricing = new Pricing(groups, relaxation, demand);
    int proved = known;
    while (needed > proved && value > proved + ROUNDING && !effort.isOver()) {
      double threshold = proved == 0 ? value : value / proved * (1 - ROUNDING);
      List<Pricing.Found> found = pricing.search(prices, threshold, nodes);
      if (!found.isEmpty() && pricing.finished()) {
        found.forEach(each -> program.add(each.column()));
        return bound(relaxation, proved, nodes);
      }
      if (!pricing.finished() || pricing.most() > threshold) {
        break;
      }
      proved++;
    }
    return proved;
  }
}
