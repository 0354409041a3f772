package dev.cotenant.placement.search;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.search.Needs.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Whether services fit on one device together, and what each then needs. */
final class Groups {
  /*
   * From what each needs alone, shares are raised until none grows any more: a larger share draws
   * more power and L2, so that this ends at the least shares for the batches found. What n kinds need
   * together is remembered under a hash that adds up over its members, so that adding and removing
   * one costs a lookup. Two sets of one hash are as good as impossible (64 bits), and plans are
   * verified before they are given away.
   */
  static final int TOO_MANY = Short.MAX_VALUE;

  private static final int FIRST_SIZE = 1 << 6;
  private static final int MAX_SIZE = 1 << 22;

  private final DeviceProfile device;
  private final Needs needs;
  private final List<Kind> kinds;
  private final long memoryBytes;
  private final long[] hashes;
  private final int[] alone;
  private long[] keys = new long[FIRST_SIZE];
  private short[] totals = new short[FIRST_SIZE];
  private int filled;
  private int[] units = new int[0];
  private int[] batches = new int[0];
  private double[] rates = new double[0];

  Groups(DeviceProfile device, Needs needs, List<Kind> kinds, long memoryBytes) {
    this.device = device;
    this.needs = needs;
    this.kinds = List.copyOf(kinds);
    this.memoryBytes = memoryBytes;
    SplittableRandom random = new SplittableRandom(kinds.size());
    hashes = random.longs(kinds.size()).map(hash -> hash | 1).toArray();
    alone = new int[kinds.size()];
    for (int i = 0; i < alone.length; i++) {
      alone[i] = total(new int[] {i}, 1, hashes[i]);
    }
  }

  int count() {
    return alone.length;
  }

  List<Kind> kinds() {
    return kinds;
  }

  Needs needs() {
    return needs;
  }

  DeviceProfile device() {
    return device;
  }

  long memoryBytes() {
    return memoryBytes;
  }

  /** Units of one alone; {@link #TOO_MANY} where it does not fit. */
  int alone(int kind) {
    return alone[kind];
  }

  long hash(int kind) {
    return hashes[kind];
  }

  /** Cached {@link #total} of the members with this hash; 0 if unknown. */
  int known(long hash) {
    return totals[slot(keys, hash)];
  }

  /** Units of all together; {@link #TOO_MANY} where they do not fit. */
  int total(int[] members, int size, long hash) {
    int slot = slot(keys, hash);
    if (totals[slot] != 0) {
      return totals[slot];
    }
    int total = evaluate(members, size);
    keys[slot] = hash;
    totals[slot] = (short) total;
    if (++filled * 2 > keys.length) {
      grow();
    }
    return total;
  }

  private static int slot(long[] keys, long hash) {
    int mask = keys.length - 1;
    int slot = (int) ((hash * 0x9E3779B97F4A7C15L) >>> 40) & mask;
    while (keys[slot] != hash && keys[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] before = keys;
    short[] known = totals;
    boolean forget = before.length >= MAX_SIZE;
    keys = new long[forget ? FIRST_SIZE : before.length * 2];
    totals = new short[keys.length];
    filled = 0;
    for (int i = 0; i < before.length && !forget; i++) {
      if (before[i] != 0) {
        int slot = slot(keys, before[i]);
        keys[slot] = before[i];
        totals[slot] = known[i];
        filled++;
      }
    }
  }

  /** What each of the group evaluated last needs. */
  int units(int member) {
    return units[member];
  }

  /** Its batch. */
  int batch(int member) {
    return batches[member];
  }

  /** Works out {@link #units} and {@link #batch}; the total as of {@link #total}. */
  int evaluate(int[] members, int size) {
    if (units.length < size) {
      units = new int[size * 2];
      batches = new int[size * 2];
      rates = new double[size * 2];
    }
    long memory = 0;
    for (int i = 0; i < size; i++) {
      memory += kinds.get(members[i]).memoryBytes();
    }
    if (memory > memoryBytes || size > needs.wholeUnits()) {
      return TOO_MANY;
    }
    Arrays.fill(units, 0, size, 0);
    return raise(members, size);
  }

  private int raise(int[] members, int size) {
    double delay = device.schedulingDelayMillis(size);
    double l2 = 0;
    double watts = device.idlePowerWatts();
    boolean first = true;
    while (true) {
      double megahertz = device.frequencyMegahertz(watts);
      if (!(megahertz > 0)) {
        return TOO_MANY;
      }
      double stretch = device.maxFrequencyMegahertz() / megahertz;
      boolean raised = false;
      int total = 0;
      for (int i = 0; i < size; i++) {
        WorkloadProfile.Demand demand = kinds.get(members[i]).profile().demand();
        double own = first ? 0 : demand.l2Slope() * rates[i] + demand.l2Intercept();
        needs.ask(members[i], delay, l2 - own, stretch);
        boolean draws = needs.units == units[i] && needs.requestsPerSecond > rates[i];
        if (needs.units > units[i] || draws) {
          units[i] = needs.units;
          batches[i] = needs.batch;
          rates[i] = needs.requestsPerSecond;
          raised = true;
        }
        total += units[i];
        if (total > needs.wholeUnits()) {
          return TOO_MANY;
        }
      }
      if (!raised) {
        return total;
      }
      first = false;
      l2 = 0;
      watts = device.idlePowerWatts();
      for (int i = 0; i < size; i++) {
        WorkloadProfile.Demand demand = kinds.get(members[i]).profile().demand();
        l2 += demand.l2Slope() * rates[i] + demand.l2Intercept();
        watts += demand.powerSlope() * rates[i] + demand.powerIntercept();
      }
    }
  }
}
