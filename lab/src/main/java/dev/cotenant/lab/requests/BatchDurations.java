package dev.cotenant.lab.requests;

import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.PlannedGpu;

/** How long batches really take: the truth of a run, which is not given to its policy. */
@FunctionalInterface
public interface BatchDurations {
  /** The state of a partition in which no batch runs. */
  int IDLE = -1;

  /**
   * Times of batches of one turn from one request to its largest batch.
   *
   * @param gpu the GPU
   * @param running running turn by partition, at its planned batch, or {@link #IDLE}; for the
   *     partition itself, the evaluated turn
   * @param partition whose
   */
  BatchTimes times(PlannedGpu gpu, int[] running, int partition);
}
