package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A GPU that fills up: needs in the order in which they came, and the units of each. */
final class GpuLoad {
  private static final int FEW = 4;

  private Need[] needs = new Need[FEW];
  private int[] units = new int[FEW];
  private int count;
  private int usedUnits;
  private long usedBytes;

  int count() {
    return count;
  }

  Need need(int i) {
    return needs[i];
  }

  int units(int i) {
    return units[i];
  }

  int usedUnits() {
    return usedUnits;
  }

  long usedBytes() {
    return usedBytes;
  }

  void add(Need need, int ofIt) {
    if (count == needs.length) {
      needs = Arrays.copyOf(needs, 2 * count);
      units = Arrays.copyOf(units, 2 * count);
    }
    needs[count] = need;
    units[count] = ofIt;
    count++;
    usedUnits += ofIt;
    usedBytes += need.memoryBytes();
  }

  GpuLoad copy() {
    GpuLoad copy = new GpuLoad();
    for (int i = 0; i < count; i++) {
      copy.add(needs[i], units[i]);
    }
    return copy;
  }

  void setUnits(int i, int ofIt) {
    usedUnits += ofIt - units[i];
    units[i] = ofIt;
  }

  /** Everyone beside each other in iGniter's model. */
  void placeIn(GpuState state, Share unit) {
    state.clear();
    for (int i = 0; i < count; i++) {
      state.place(needs[i].profile(), needs[i].batch(), unit.percentOf(units[i]));
    }
  }

  /** Gives one another batch. */
  void setBatch(int i, int batch) {
    needs[i] = needs[i].with(batch, needs[i].lowerUnits());
  }

  PlannedGpu planned(String device, Share unit) {
    List<Partition> partitions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Need need = needs[i];
      Turn turn = new Turn(need.service().name(), need.batch(), need.requestsPerSecond());
      partitions.add(Partition.of(unit.times(units[i]), turn));
    }
    return PlannedGpu.serving(device, partitions);
  }
}
