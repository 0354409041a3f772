package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.PlannedGpu;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The GPUs of one kind that a plan uses so far, in the order in which they were opened. What was
 * changed since a mark can be taken back.
 */
final class OpenGpus {
  /** State of a GPU before a change. */
  private record Before(int index, GpuLoad load) {}

  private final Share unit;
  private final int maxCount;
  private final long capacityBytes;
  private final List<GpuLoad> gpus = new ArrayList<>();
  private final Deque<Before> journal = new ArrayDeque<>();
  private int marked = -1;

  OpenGpus(DeviceType type, Share unit) {
    this.unit = unit;
    maxCount = type.maxCount();
    capacityBytes = type.memory().bytes();
  }

  int size() {
    return gpus.size();
  }

  GpuLoad get(int i) {
    return gpus.get(i);
  }

  Share unit() {
    return unit;
  }

  /** The free units. */
  int left(int i) {
    return unit.perGpu() - gpus.get(i).usedUnits();
  }

  /** Whether units and memory are enough for its lower bound. */
  boolean mayTake(int i, Need need) {
    return need.lowerUnits() <= left(i) && hasMemory(i, need.memoryBytes());
  }

  boolean hasMemory(int i, long bytes) {
    return bytes <= capacityBytes - gpus.get(i).usedBytes();
  }

  /** GPUs with at least this number of free units. */
  int[] withRoomFor(int units) {
    return IntStream.range(0, gpus.size()).filter(i -> left(i) >= units).toArray();
  }

  /** The GPU, journaled for undo before a change. */
  GpuLoad change(int i) {
    if (marked >= 0) {
      journal.push(new Before(i, gpus.get(i).copy()));
    }
    return gpus.get(i);
  }

  /** Gives a need a GPU of its own, with {@code units}; false when all are in use. */
  boolean open(Need need, int units) {
    if (gpus.size() >= maxCount) {
      return false;
    }
    GpuLoad gpu = new GpuLoad();
    gpu.add(need, units);
    gpus.add(gpu);
    return true;
  }

  /** Starts recording changes for undo. */
  void mark() {
    marked = gpus.size();
  }

  /** What was changed since the mark stays. */
  void keep() {
    marked = -1;
    journal.clear();
  }

  /** Takes back what was changed since the mark, and says on which GPUs, gone ones among them. */
  List<Integer> takeBack() {
    List<Integer> changed = new ArrayList<>();
    while (!journal.isEmpty()) {
      Before before = journal.pop();
      gpus.set(before.index(), before.load());
      changed.add(before.index());
    }
    for (int i = gpus.size() - 1; i >= marked; i--) {
      gpus.remove(i);
      changed.add(i);
    }
    keep();
    return changed;
  }

  /** As a plan says it. */
  List<PlannedGpu> planned(String device) {
    return gpus.stream().map(gpu -> gpu.planned(device, unit)).toList();
  }
}
