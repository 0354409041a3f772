package dev.cotenant.placement.search;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import org.jspecify.annotations.Nullable;

/** The least that services can need beside others, whatever batches and shares those have. */
final class Relaxation {
  /*
   * A service that is served draws at least as much L2 and power as at the least rate b/k_act of any
   * batch that keeps its limits; the more its neighbours draw, the higher that rate. So starting from
   * what each draws alone, a few rounds give what a group draws at least, and what each then needs at
   * least is a bound, which is not more than any feasible choice of batches and shares. L2 and power
   * are rounded down to steps, so that answers are looked up. Holds where no service's L2 or power is
   * negative and the scheduling delay grows with the neighbours: see holds.
   */
  static final int MEMBERS = 12;
  static final int L2_STEPS = 96;
  static final int WATTS_STEPS = 48;

  private static final double L2_STEP = 1;
  private static final double WATTS_STEP = 4;
  private static final int ROUNDS = 2;

  private final Groups groups;
  private final Needs needs;
  private final double[] l2;
  private final double[] watts;
  private final @Nullable Cells[][] cells;
  private final double spareWatts;
  private final boolean holds;
  private final double[] ownL2;
  private final double[] nextL2;
  private final int[] least;
  private double l2Sum;
  private double wattsSum;

  /** Of one kind: its units, L2 and power draw at each step. */
  private static final class Cells {
    final short[] units = new short[L2_STEPS * WATTS_STEPS];
    final float[] l2 = new float[L2_STEPS * WATTS_STEPS];
    final float[] watts = new float[L2_STEPS * WATTS_STEPS];
  }

  /**
   * A relaxation.
   *
   * @param groups what is relaxed
   * @param needs over all permitted batches
   */
  Relaxation(Groups groups, Needs needs) {
    this.groups = groups;
    this.needs = needs;
    DeviceProfile device = groups.device();
    spareWatts = device.maxPowerWatts() - device.idlePowerWatts();
    int kinds = groups.count();
    l2 = new double[kinds];
    watts = new double[kinds];
    cells = new Cells[kinds][MEMBERS + 1];
    ownL2 = new double[groups.needs().wholeUnits() + 1];
    nextL2 = new double[ownL2.length];
    least = new int[ownL2.length];
    boolean monotone = true;
    for (int i = 0; i < kinds; i++) {
      WorkloadProfile.Demand demand = groups.kinds().get(i).profile().demand();
      double rate = needs.leastRate(i, 0, 0, 1);
      l2[i] = demand.l2Slope() * rate + demand.l2Intercept();
      watts[i] = demand.powerSlope() * rate + demand.powerIntercept();
      monotone &= l2[i] >= 0 && watts[i] >= 0 && demand.l2Slope() >= 0 && demand.powerSlope() >= 0;
    }
    for (int n = 1; n < MEMBERS; n++) {
      monotone &= device.schedulingDelayMillis(n) <= device.schedulingDelayMillis(n + 1);
    }
    holds = monotone;
  }

  boolean holds() {
    return holds;
  }

  /** L2 of the group settled last, at least. */
  double l2Percent() {
    return l2Sum;
  }

  /** Power of the group settled last without idling, at least. */
  double watts() {
    return wattsSum;
  }

  /**
   * Units at least, of the first {@code size} of a group.
   *
   * @param members kinds
   * @param size how many of them
   * @param all how many there are with those that are still to come
   */
  int units(int[] members, int size, int all) {
    settle(members, size);
    int n = Math.min(all, MEMBERS);
    for (int round = 0; round < ROUNDS; round++) {
      double l2Next = 0;
      double wattsNext = 0;
      int wattsStep = wattsStep(wattsSum);
      for (int i = 0; i < size; i++) {
        int cell = l2Step(l2Sum - ownL2[i]) * WATTS_STEPS + wattsStep;
        Cells own = cell(members[i], n, cell);
        ownL2[i] = own.l2[cell];
        l2Next += ownL2[i];
        wattsNext += own.watts[cell];
      }
      l2Sum = l2Next;
      wattsSum = wattsNext;
    }
    int units = 0;
    int wattsStep = wattsStep(wattsSum);
    for (int i = 0; i < size; i++) {
      int cell = l2Step(l2Sum - ownL2[i]) * WATTS_STEPS + wattsStep;
      units += cell(members[i], n, cell).units[cell];
    }
    return units;
  }

  /**
   * Whether a group may fit, more exactly and slower: no service can take more units than the
   * others leave, which raises what each draws at least.
   */
  boolean mayFit(int[] members, int size) {
    DeviceProfile device = groups.device();
    double delay = device.schedulingDelayMillis(size);
    settle(members, size);
    int whole = groups.needs().wholeUnits();
    double before = -1;
    while (l2Sum + wattsSum > before) {
      before = l2Sum + wattsSum;
      double megahertz = device.frequencyMegahertz(device.idlePowerWatts() + wattsSum);
      if (!(megahertz > 0)) {
        return false;
      }
      double stretch = device.maxFrequencyMegahertz() / megahertz;
      int total = 0;
      for (int i = 0; i < size; i++) {
        needs.ask(members[i], delay, l2Sum - ownL2[i], stretch);
        least[i] = needs.units;
        total += needs.units;
        if (total > whole) {
          return false;
        }
      }
      double l2Next = 0;
      double wattsNext = 0;
      for (int i = 0; i < size; i++) {
        needs.leastRate(members[i], delay, l2Sum - ownL2[i], stretch);
        double rate = needs.leastRateWithin(least[i] + whole - total);
        WorkloadProfile.Demand draws = groups.kinds().get(members[i]).profile().demand();
        nextL2[i] = Math.max(ownL2[i], draws.l2Slope() * rate + draws.l2Intercept());
        l2Next += nextL2[i];
        wattsNext += draws.powerSlope() * rate + draws.powerIntercept();
      }
      System.arraycopy(nextL2, 0, ownL2, 0, size);
      l2Sum = Math.max(l2Sum, l2Next);
      wattsSum = Math.max(wattsSum, wattsNext);
    }
    return true;
  }

  private void settle(int[] members, int size) {
    l2Sum = 0;
    wattsSum = 0;
    for (int i = 0; i < size; i++) {
      ownL2[i] = l2[members[i]];
      l2Sum += ownL2[i];
      wattsSum += watts[members[i]];
    }
  }

  /** Units of one at steps of its neighbours' L2 and of power, at least. */
  int unitsAt(int kind, int all, int l2Step, int wattsStep) {
    int cell = l2Step * WATTS_STEPS + wattsStep;
    return cell(kind, Math.min(all, MEMBERS), cell).units[cell];
  }

  static int l2Step(double percent) {
    return percent <= 0 ? 0 : Math.min(L2_STEPS - 1, (int) (percent / L2_STEP));
  }

  int wattsStep(double allWatts) {
    double beyond = allWatts - spareWatts;
    return beyond <= 0 ? 0 : Math.min(WATTS_STEPS - 1, (int) (beyond / WATTS_STEP));
  }

  private Cells cell(int kind, int members, int cell) {
    Cells own = cells[kind][members];
    if (own == null) {
      own = new Cells();
      cells[kind][members] = own;
    }
    if (own.units[cell] == 0) {
      fill(own, kind, members, cell);
    }
    return own;
  }

  private void fill(Cells own, int kind, int members, int cell) {
    DeviceProfile device = groups.device();
    int l2Steps = cell / WATTS_STEPS;
    double others = l2Steps * L2_STEP;
    double demand = device.maxPowerWatts() + cell % WATTS_STEPS * WATTS_STEP;
    double megahertz = device.frequencyMegahertz(demand);
    double delay = device.schedulingDelayMillis(members);
    if (megahertz > 0) {
      double stretch = device.maxFrequencyMegahertz() / megahertz;
      needs.ask(kind, delay, others, stretch);
      double rate = Math.max(0, needs.leastRate(kind, delay, others, stretch));
      WorkloadProfile.Demand draws = groups.kinds().get(kind).profile().demand();
      own.units[cell] = (short) Math.min(needs.units, Groups.TOO_MANY);
      own.l2[cell] = Math.nextDown((float) (draws.l2Slope() * rate + draws.l2Intercept()));
      own.watts[cell] = Math.nextDown((float) (draws.powerSlope() * rate + draws.powerIntercept()));
    } else {
      own.units[cell] = Groups.TOO_MANY;
    }
  }
}
