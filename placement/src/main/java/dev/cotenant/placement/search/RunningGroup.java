package dev.cotenant.placement.search;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.search.Needs.Running;

/**
 * Services that already share a device, with their current shares and batches: finds the least
 * change that meets all limits.
 */
final class RunningGroup {
  private static final int NOBODY = -1;
  private static final int ROUNDS = 4;

  private final Groups groups;
  private final int[] members;
  private final int[] units;
  private final int[] batches;
  private final double[] l2;
  private double l2Sum;
  private double stretch;

  /**
   * As they run.
   *
   * @param members kinds
   * @param units of each share; 0 for a new member
   * @param batches of each
   */
  RunningGroup(Groups groups, int[] members, int[] units, int[] batches) {
    this.groups = groups;
    this.members = members.clone();
    this.units = units.clone();
    this.batches = batches.clone();
    l2 = new double[members.length];
  }

  int units(int member) {
    return units[member];
  }

  int batch(int member) {
    return batches[member];
  }

  /** Whether all keep their limits as they are. */
  boolean keeps() {
    return late() == NOBODY;
  }

  /** Changes batches, at equal shares, so that all keep their limits; else changes nothing. */
  boolean changeBatches() {
    int[] before = batches.clone();
    for (int round = 0; round < ROUNDS * members.length; round++) {
      int late = late();
      if (late == NOBODY) {
        return true;
      }
      if (!changeBatch(late)) {
        break;
      }
    }
    System.arraycopy(before, 0, batches, 0, before.length);
    return false;
  }

  /**
   * Larger shares, none smaller, and batches with which all keep their limits; else changes
   * nothing.
   */
  boolean grow() {
    int[] hadUnits = units.clone();
    int[] hadBatches = batches.clone();
    if (groups.evaluate(members, members.length) != Groups.TOO_MANY) {
      for (int i = 0; i < members.length; i++) {
        if (groups.units(i) > units[i]) {
          units[i] = groups.units(i);
          batches[i] = groups.batch(i);
        }
      }
      if (raise()) {
        return true;
      }
    }
    System.arraycopy(hadUnits, 0, units, 0, units.length);
    System.arraycopy(hadBatches, 0, batches, 0, batches.length);
    return false;
  }

  private boolean raise() {
    int whole = groups.needs().wholeUnits();
    int total = total();
    for (int round = 0; total <= whole && round < ROUNDS * whole; round++) {
      int late = late();
      if (late == NOBODY) {
        return true;
      }
      if (!changeBatch(late)) {
        units[late]++;
        total++;
      }
    }
    return false;
  }

  /** The least shares, of all; the group must fit. */
  void renew() {
    groups.evaluate(members, members.length);
    for (int i = 0; i < members.length; i++) {
      units[i] = groups.units(i);
      batches[i] = groups.batch(i);
    }
  }

  /** Gives what the device has left to those that miss their limits, though it is not enough. */
  void fill() {
    int whole = groups.needs().wholeUnits();
    for (int total = total(); total < whole; total++) {
      int late = late();
      if (late == NOBODY) {
        return;
      }
      units[late]++;
    }
  }

  private int total() {
    int total = 0;
    for (int each : units) {
      total += each;
    }
    return total;
  }

  /** The first that misses its limits. */
  private int late() {
    if (!evaluate()) {
      return 0;
    }
    for (int i = 0; i < members.length; i++) {
      if (!keeps(i)) {
        return i;
      }
    }
    return NOBODY;
  }

  /** The largest different batch that meets the service's limits beside the unchanged others. */
  private boolean changeBatch(int member) {
    int had = batches[member];
    int[] others = groups.needs().batches(members[member]);
    for (int k = others.length - 1; k >= 0; k--) {
      batches[member] = others[k];
      if (others[k] != had && evaluate() && keeps(member)) {
        return true;
      }
    }
    batches[member] = had;
    return false;
  }

  /** What all draw together; false where the coefficients do not reach so far. */
  private boolean evaluate() {
    DeviceProfile device = groups.device();
    double watts = device.idlePowerWatts();
    l2Sum = 0;
    for (int i = 0; i < members.length; i++) {
      WorkloadProfile profile = groups.kinds().get(members[i]).profile();
      double percent = units[i] * groups.needs().unitPercent();
      double active = profile.activeTime().millis(batches[i], percent);
      if (!(active > 0)) {
        return false;
      }
      double rate = Milliseconds.PER_SECOND * batches[i] / active;
      l2[i] = profile.demand().l2Slope() * rate + profile.demand().l2Intercept();
      l2Sum += l2[i];
      watts += profile.demand().powerSlope() * rate + profile.demand().powerIntercept();
    }
    stretch = device.maxFrequencyMegahertz() / device.frequencyMegahertz(watts);
    return stretch > 0;
  }

  private boolean keeps(int member) {
    double delay = groups.device().schedulingDelayMillis(members.length);
    Running running =
        new Running(batches[member], units[member], delay, l2Sum - l2[member], stretch);
    return groups.needs().keeps(members[member], running);
  }
}
