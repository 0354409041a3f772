package dev.cotenant.placement.jobs;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.domain.quantity.Utilization;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/** Used GPUs of one kind in the order of opening. */
final class OpenGpus {
  /*
   * A binary tree over the GPUs: each node holds the most utilization and the most memory that any
   * GPU below it has left, so that the first with room for both is found by going down to the left
   * where both may suffice. Full GPUs have nothing left. O(log n) where one figure decides; where
   * the two most are of different GPUs, some subtrees are visited in vain. The same GPUs by memory
   * left, for the tightest fit.
   */
  private final long capacity;
  private final Rule rule;
  private final List<OpenGpu> gpus = new ArrayList<>();
  private final TreeSet<MemoryLeft> byMemory = new TreeSet<>();
  private double[] percentLeft = new double[2];
  private long[] bytesLeft = new long[2];
  private int leaves = 1;

  OpenGpus(MemorySize memory, Rule rule) {
    boolean all = rule.limits().memory() != JobLimits.Memory.REQUESTED_LESS_THAN_ALL;
    this.capacity = all ? memory.bytes() : Math.max(0, memory.bytes() - 1);
    this.rule = rule;
  }

  /** One GPU and the names of its jobs. */
  private static final class OpenGpu {
    private final List<String> jobs = new ArrayList<>();
    private double percent;
    private long bytes;
  }

  private record MemoryLeft(long bytes, int gpu) implements Comparable<MemoryLeft> {
    @Override
    public int compareTo(MemoryLeft other) {
      int byBytes = Long.compare(bytes, other.bytes);
      return byBytes != 0 ? byBytes : Integer.compare(gpu, other.gpu);
    }
  }

  int size() {
    return gpus.size();
  }

  List<String> jobs(int gpu) {
    return gpus.get(gpu).jobs;
  }

  /** Whether the demand fits on an unused GPU. */
  boolean fitsAlone(Demand demand) {
    return demand.memory().bytes() <= capacity;
  }

  /** Adds the job to a GPU that is open, where one has room. */
  boolean addToOpen(String job, Demand demand) {
    int gpu =
        switch (rule.fit()) {
          case FIRST -> first(1, demand);
          case MIN_MEMORY_LEFT -> tightest(demand);
        };
    if (gpu < 0) {
      return false;
    }
    add(gpu, job, demand);
    return true;
  }

  /** Adds the job to a GPU of its own. */
  void open(String job, Demand demand) {
    gpus.add(new OpenGpu());
    if (gpus.size() > leaves) {
      grow();
    }
    add(gpus.size() - 1, job, demand);
  }

  private int tightest(Demand demand) {
    for (MemoryLeft left : byMemory.tailSet(new MemoryLeft(demand.memory().bytes(), -1))) {
      if (percentLeft[leaves + left.gpu()] >= demand.utilization().percent() - Rounding.SLACK) {
        return left.gpu();
      }
    }
    return -1;
  }

  private int first(int node, Demand demand) {
    if (percentLeft[node] < demand.utilization().percent() - Rounding.SLACK
        || bytesLeft[node] < demand.memory().bytes()) {
      return -1;
    }
    if (node >= leaves) {
      return node - leaves < gpus.size() ? node - leaves : -1;
    }
    int left = first(2 * node, demand);
    return left >= 0 ? left : first(2 * node + 1, demand);
  }

  private void add(int index, String job, Demand demand) {
    OpenGpu gpu = gpus.get(index);
    byMemory.remove(new MemoryLeft(bytesLeft[leaves + index], index));
    gpu.jobs.add(job);
    gpu.percent += demand.utilization().percent();
    gpu.bytes += demand.memory().bytes();
    set(index);
    if (gpu.jobs.size() < rule.limits().mostJobs()) {
      byMemory.add(new MemoryLeft(bytesLeft[leaves + index], index));
    }
  }

  /** Writes what a GPU has left and what follows for the nodes above it. */
  private void set(int index) {
    OpenGpu gpu = gpus.get(index);
    boolean full = gpu.jobs.size() >= rule.limits().mostJobs();
    int node = leaves + index;
    percentLeft[node] = full ? -1 : Utilization.FULL.percent() - gpu.percent;
    bytesLeft[node] = full ? -1 : capacity - gpu.bytes;
    for (node /= 2; node >= 1; node /= 2) {
      percentLeft[node] = Math.max(percentLeft[2 * node], percentLeft[2 * node + 1]);
      bytesLeft[node] = Math.max(bytesLeft[2 * node], bytesLeft[2 * node + 1]);
    }
  }

  private void grow() {
    leaves *= 2;
    percentLeft = new double[2 * leaves];
    bytesLeft = new long[2 * leaves];
    Arrays.fill(percentLeft, -1);
    Arrays.fill(bytesLeft, -1);
    for (int i = 0; i < gpus.size() - 1; i++) {
      set(i);
    }
  }
}
