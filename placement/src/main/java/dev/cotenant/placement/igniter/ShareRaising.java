package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;

/**
 * How many units more everyone on a GPU needs when a workload joins it [iGniter, algorithm 2].
 *
 * <p>Reused for millions of questions and allocates nothing; not thread-safe.
 */
final class ShareRaising {
  /*
   * The newcomer starts at r_lower. In rounds, in the order of placement: a workload whose t_inf is
   * beyond half its objective gets one unit more, and the t_inf of the next already counts with it.
   * Ends when no workload is late, or when units or the limit run out.
   */
  static final int NEVER = Integer.MAX_VALUE;

  private final Share unit;
  private final GpuState state;
  private final Need[] needs;
  private final int[] units;
  private final double[] activeMillis;
  private int count;

  ShareRaising(DeviceProfile device) {
    unit = Share.nearestToPercent(device.shareUnitPercent());
    int most = unit.perGpu() + 1;
    state = new GpuState(device, most);
    needs = new Need[most];
    units = new int[most];
    activeMillis = new double[most];
  }

  /**
   * Units by which everyone together must be raised, the newcomer's r_lower not counted; {@link
   * #NEVER} when the GPU has not as many or the answer is not below {@code limit}.
   */
  int raise(GpuLoad gpu, Need newcomer, int limit) {
    count = 0;
    for (int i = 0; i < gpu.count(); i++) {
      set(gpu.need(i), gpu.units(i));
    }
    set(newcomer, newcomer.lowerUnits());
    int spare = unit.perGpu() - gpu.usedUnits() - newcomer.lowerUnits();
    return spare < 0 ? NEVER : raise(Math.min(spare, limit - 1));
  }

  private int raise(int most) {
    int raised = 0;
    boolean late = true;
    while (late) {
      late = false;
      boolean stale = true;
      for (int i = 0; i < count; i++) {
        if (stale && !evaluate()) {
          return NEVER;
        }
        stale = state.latencyMillis(i) > needs[i].budgetMillis();
        if (stale) {
          late = true;
          raised++;
          if (raised > most) {
            return NEVER;
          }
          setUnits(i, units[i] + 1);
        }
      }
    }
    return raised;
  }

  /** Gives the newcomer and everyone on the GPU what the last answer found; it was not NEVER. */
  void apply(GpuLoad gpu) {
    for (int i = 0; i < gpu.count(); i++) {
      gpu.setUnits(i, units[i]);
    }
    gpu.add(needs[count - 1], units[count - 1]);
  }

  private boolean evaluate() {
    state.clear();
    for (int i = 0; i < count; i++) {
      Need need = needs[i];
      state.place(need.profile(), need.batch(), unit.percentOf(units[i]), activeMillis[i]);
    }
    return state.evaluate() == GpuState.Status.VALID;
  }

  private void set(Need need, int ofIt) {
    needs[count] = need;
    setUnits(count++, ofIt);
  }

  private void setUnits(int i, int ofIt) {
    units[i] = ofIt;
    activeMillis[i] =
        needs[i].profile().activeTime().millis(needs[i].batch(), unit.percentOf(ofIt));
  }
}
