package dev.cotenant.placement.search;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The fewest devices of one kind for given services, and a bound. */
final class DeviceSearch {
  private static final int STARTS = 6;
  private static final int EMPTYINGS = 150;
  private static final int AFTER_DIVE = 40;
  private static final int DEPTH = 2;
  private static final int DIVES = 6;
  private static final double DIVE_NOISE = 0.3;
  private static final int MAX_KINDS = 600;
  private static final int MAX_SERVICES = 3_000;
  private static final double FRACTION = 0.01;
  private static final long PROOF_NODES = 1_500_000;

  private final Groups groups;
  private final Effort effort;
  private final long seed;

  /**
   * What was found.
   *
   * @param packing packed devices
   * @param bound no plan of these services needs fewer; 0 where none was proved
   * @param inTime whether the search went through to its end
   */
  record Outcome(Packing packing, int bound, boolean inTime) {}

  DeviceSearch(Groups groups, Effort effort, long seed) {
    this.groups = groups;
    this.effort = effort;
    this.seed = seed;
  }

  /** Searches; with {@code needs} over all batches given, proves a bound too. */
  Outcome search(List<Integer> services, List<Needs> proof) {
    int[] demand = new int[groups.count()];
    services.forEach(kind -> demand[kind]++);
    EjectionSearch ejection = new EjectionSearch(groups, seed);
    List<Packing> starts = new ArrayList<>();
    int count = services.size() > MAX_SERVICES ? 1 : STARTS;
    for (int start = 0; start == 0 || (start < count && !effort.isOver()); start++) {
      starts.add(ejection.greedy(services, start));
    }
    Packing best = Collections.min(starts, Comparator.comparingInt(Packing::size));
    int least = leastByShares(demand);
    for (int i = 0; i < EMPTYINGS && more(services, best, least); i++) {
      best = ejection.emptyOne(best);
    }
    starts.add(best);
    if (groups.count() > MAX_KINDS || groups.count() == 0 || effort.isOver()) {
      return new Outcome(best, bound(proof, List.of(), least), !effort.isOver());
    }
    ColumnSearch columns = new ColumnSearch(groups, demand, effort, seed);
    if (best.size() > least) {
      starts.forEach(columns::learn);
      int hoped = 0;
      for (int depth = 1; depth <= DEPTH && best.size() > Math.max(hoped, least); depth++) {
        hoped = (int) Math.ceil(columns.generate(depth) - FRACTION);
        best = dive(columns, ejection, best, hoped);
      }
    }
    return new Outcome(best, bound(proof, List.of(columns), least), !effort.isOver());
  }

  private boolean more(List<Integer> services, Packing best, int least) {
    return best.size() > least && services.size() <= MAX_SERVICES && !effort.isOver();
  }

  private Packing dive(ColumnSearch columns, EjectionSearch ejection, Packing from, int least) {
    Packing best = from;
    for (int dive = 0; dive < DIVES && best.size() > least && !effort.isOver(); dive++) {
      Packing next = columns.dive(dive == 0 ? 0 : DIVE_NOISE, best.size() - 1);
      for (int i = 0; i < AFTER_DIVE && next.size() >= best.size() && !effort.isOver(); i++) {
        next = ejection.emptyOne(next);
      }
      best = next.size() < best.size() ? next : best;
    }
    return best;
  }

  /** By shares alone: what each needs without neighbours. */
  private int leastByShares(int[] demand) {
    long units = 0;
    for (int kind = 0; kind < demand.length; kind++) {
      units += (long) demand[kind] * groups.alone(kind);
    }
    return (int) Math.ceilDiv(units, groups.needs().wholeUnits());
  }

  private int bound(List<Needs> proof, List<ColumnSearch> columns, int least) {
    if (proof.isEmpty()) {
      return 0;
    }
    Relaxation relaxation = new Relaxation(groups, proof.getFirst());
    if (!relaxation.holds()) {
      return 0;
    }
    return columns.isEmpty() || effort.isOver()
        ? least
        : columns.getFirst().bound(relaxation, least, PROOF_NODES);
  }
}
