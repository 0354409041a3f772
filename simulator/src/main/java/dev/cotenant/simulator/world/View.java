package dev.cotenant.simulator.world;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;

/** What a policy may see of the cluster. */
public final class View {
  private final LongSupplier now;
  private final BiPredicate<String, String> mayShare;
  private final List<GpuView> gpus;
  private final List<NavigableSet<GpuView>> open = new ArrayList<>();
  private final int[] openWith;

  View(List<GpuView> gpus, BiPredicate<String, String> mayShare, LongSupplier now) {
    this.gpus = List.copyOf(gpus);
    this.mayShare = mayShare;
    this.now = now;
    openWith = new int[gpus.size()];
    with(0).addAll(gpus);
  }

  /** Time since the start. */
  public Duration now() {
    return Duration.ofNanos(now.getAsLong());
  }

  /** All GPUs in the order of their index. */
  public List<GpuView> gpus() {
    return gpus;
  }

  /** GPUs without a job, by index. */
  public NavigableSet<GpuView> idle() {
    return openWith(0);
  }

  /** Open GPUs with so many jobs, by index. */
  public NavigableSet<GpuView> openWith(int tenants) {
    return Collections.unmodifiableNavigableSet(with(tenants));
  }

  /** Whether a job may share a GPU with the jobs there, whatever the limits. */
  public boolean mayJoin(JobView job, GpuView gpu) {
    String own = job.submission().configuration();
    for (JobView tenant : gpu.tenants()) {
      if (!mayShare.test(own, tenant.submission().configuration())) {
        return false;
      }
    }
    return gpu.isOpen();
  }

  /** Updates the sets after a change. */
  void changed(GpuView gpu) {
    int before = openWith[gpu.index()];
    int after = gpu.isOpen() ? gpu.tenants().size() : -1;
    if (before != after) {
      if (before >= 0) {
        with(before).remove(gpu);
      }
      if (after >= 0) {
        with(after).add(gpu);
      }
      openWith[gpu.index()] = after;
    }
  }

  private NavigableSet<GpuView> with(int tenants) {
    while (open.size() <= tenants) {
      open.add(new TreeSet<>());
    }
    return open.get(tenants);
  }
}
