package dev.cotenant.simulator.replay;

import dev.cotenant.simulator.world.GpuView;
import dev.cotenant.simulator.world.JobView;
import dev.cotenant.simulator.world.OwnQueue;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.QueueRule;
import dev.cotenant.simulator.world.Review;
import dev.cotenant.simulator.world.View;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** A policy, with the largest number of busy GPUs and the jobs that ran out of memory. */
final class WatchedPolicy implements Policy {
  private final Policy policy;
  private final BitSet busy = new BitSet();
  private final Set<String> outOfMemory = new HashSet<>();
  private int mostBusy;

  WatchedPolicy(Policy policy) {
    this.policy = policy;
  }

  int mostBusy() {
    return mostBusy;
  }

  Set<String> outOfMemory() {
    return outOfMemory;
  }

  @Override
  public QueueRule queue() {
    return policy.queue();
  }

  @Override
  public Optional<OwnQueue> ownQueue() {
    return policy.ownQueue();
  }

  @Override
  public void queued(JobView job) {
    policy.queued(job);
  }

  @Override
  public Placement place(JobView job, View view) {
    return policy.place(job, view);
  }

  @Override
  public Object schedulingClass(JobView job) {
    return policy.schedulingClass(job);
  }

  @Override
  public Review review(JobView job, View view) {
    return policy.review(job, view);
  }

  @Override
  public void changed(GpuView gpu) {
    busy.set(gpu.index(), !gpu.tenants().isEmpty());
    mostBusy = Math.max(mostBusy, busy.cardinality());
    policy.changed(gpu);
  }

  @Override
  public void finished(JobView job) {
    if (job.outOfMemoryKills() > 0) {
      outOfMemory.add(job.submission().name());
    }
    policy.finished(job);
  }
}
