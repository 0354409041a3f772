package dev.cotenant.domain.prediction;

import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.RunSettings;

/**
 * Settings and graph work of a workload, for interference models that estimate unmeasured
 * workloads.
 *
 * @param batchSize samples a step, at least 1
 */
public record GraphRun(GraphWork work, int batchSize, RunSettings settings) {
  /** Whether both are copies of one server or training, whatever the load of each. */
  public boolean isCopyOf(GraphRun other) {
    return work.equals(other.work)
        && batchSize == other.batchSize
        && settings.withLoad(Load.UNSTATED).equals(other.settings.withLoad(Load.UNSTATED));
  }

  /**
   * Copy without a measured load, as the owner states it. A measured rate changes from week to
   * week, and what runs stays the same.
   */
  public GraphRun withoutMeasuredLoad() {
    return settings.load() instanceof Load.RequestRate rate && rate.isMeasured()
        ? new GraphRun(work, batchSize, settings.withLoad(Load.UNSTATED))
        : this;
  }
}
