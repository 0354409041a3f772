package dev.cotenant.interference;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model's answer about a colocation. */
public sealed interface Answer {
  /**
   * An estimate.
   *
   * @param model which model answered
   * @param effects one per member, in order
   * @param gpu the GPU as a whole; null where the model says nothing of it
   */
  record Estimated(String model, List<Effect> effects, @Nullable GpuLoad gpu) implements Answer {
    public Estimated {
      effects = List.copyOf(effects);
    }
  }

  /**
   * The model has no answer.
   *
   * @param model which one
   * @param reason missing or out-of-range input, one line
   */
  record Unavailable(String model, String reason) implements Answer {}

  /**
   * What one workload gets.
   *
   * @param name the member's name
   * @param slowdown colocated over solo time, at least 1
   * @param serving latency and throughput; null for training jobs, whose speed is 1 / slowdown
   * @param usage its resource use; null if the model does not estimate it
   */
  record Effect(String name, Interval slowdown, @Nullable Serving serving, @Nullable Usage usage) {}

  /**
   * How requests fare.
   *
   * @param latencyMillis time of a batch, transfers included
   * @param throughputPerSecond requests per second at most
   */
  record Serving(Interval latencyMillis, Interval throughputPerSecond) {}

  /**
   * What one workload draws of the GPU.
   *
   * @param powerWatts above idle
   * @param l2Percent L2 utilization
   * @param bandwidthPercent memory-bandwidth utilization; null where not measured
   */
  record Usage(double powerWatts, double l2Percent, @Nullable Double bandwidthPercent) {}

  /**
   * The GPU as a whole.
   *
   * @param powerDemandWatts power demand of all workloads without a limit
   * @param frequencyMegahertz frequency under the power limit
   * @param l2Percent summed L2 utilization
   * @param bandwidthPercent summed memory-bandwidth utilization; null where not measured for all
   */
  record GpuLoad(
      double powerDemandWatts,
      double frequencyMegahertz,
      double l2Percent,
      @Nullable Double bandwidthPercent) {}
}
