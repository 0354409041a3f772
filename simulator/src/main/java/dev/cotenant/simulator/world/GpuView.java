package dev.cotenant.simulator.world;

import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;

/** What a policy may see of a GPU: its product, its jobs and what a monitor reads. */
public final class GpuView implements Comparable<GpuView> {
  final Gpu gpu;

  GpuView(Gpu gpu) {
    this.gpu = gpu;
  }

  /** Its place in the cluster, from 0. */
  public int index() {
    return gpu.index;
  }

  /** Unique in the cluster; in the order of {@link #index}. */
  public String uuid() {
    return gpu.uuid;
  }

  /** The node it sits in. */
  public String node() {
    return gpu.node;
  }

  /** Product and usable memory. */
  public GpuKind kind() {
    return gpu.kind;
  }

  /** Tenants in start order. */
  public List<JobView> tenants() {
    return gpu.tenants();
  }

  /** Whether a job may join. */
  public boolean isOpen() {
    return gpu.access == Placement.Access.OPEN;
  }

  /** Memory in use now. */
  public MemorySize usedMemory() {
    return gpu.usedNow();
  }

  /**
   * The samples of used memory within {@link WorldSettings#history}, oldest first; empty without a
   * history.
   */
  public MemorySeries usedMemorySeries() {
    gpu.advance();
    return gpu.history.series(gpu.now(), gpu.kind.capacity());
  }

  @Override
  public int compareTo(GpuView other) {
    return Integer.compare(index(), other.index());
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return Integer.hashCode(gpu.index);
  }

  @Override
  public String toString() {
    return gpu.uuid;
  }
}
