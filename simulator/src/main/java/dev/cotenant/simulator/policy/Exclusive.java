package dev.cotenant.simulator.policy;

import dev.cotenant.simulator.world.JobView;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.View;

/** Every job has a GPU of its own, the first idle one: Kubernetes without sharing. */
final class Exclusive implements Policy {
  @Override
  public Placement place(JobView job, View view) {
    return view.idle().isEmpty() ? Placement.waiting() : Placement.alone(view.idle().first());
  }

  @Override
  public Object schedulingClass(JobView job) {
    return Exclusive.class;
  }
}
