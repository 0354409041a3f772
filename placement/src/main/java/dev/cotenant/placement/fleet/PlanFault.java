package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.MemorySize;

/** What is wrong with a plan whatever the model predicts of it, with the numbers. */
public sealed interface PlanFault {
  /** The partitions of a GPU add up to more than the whole. */
  record SharesExceeded(int gpu, double percent) implements PlanFault {}

  /** Workloads hold more memory than the GPU has. */
  record MemoryExceeded(int gpu, MemorySize held, MemorySize capacity) implements PlanFault {}

  /** More GPUs of a kind than there are. */
  record CountExceeded(String device, long used, int maxCount) implements PlanFault {}

  /** A GPU that runs nothing. */
  record EmptyGpu(int gpu) implements PlanFault {}

  /** A kind of device that the fleet does not have. */
  record UnknownDevice(String device) implements PlanFault {}

  /** A workload that the fleet does not have. */
  record UnknownWorkload(String name) implements PlanFault {}

  /** A workload runs where nothing is known of it. */
  record NotProfiledThere(int gpu, String name, String device) implements PlanFault {}

  /** A batch below 1. */
  record BatchOutOfRange(int gpu, String name, int batch) implements PlanFault {}

  /** The turns of a service do not add up to its rate, or one serves nothing. */
  record RateNotCovered(String name, double planned, double requestsPerSecond)
      implements PlanFault {}

  /** A workload that is neither placed nor unplaced. */
  record Missing(String name) implements PlanFault {}

  /** A workload that is in the plan more often than it may be. */
  record Repeated(String name, int times) implements PlanFault {}

  /** A workload that has a place and reasons why it has none. */
  record PlacedAndUnplaced(String name) implements PlanFault {}

  /** A reason that the model does not bear out. */
  record UntrueReason(String name, PlanReason reason) implements PlanFault {}

  /** The reasons are not one for each kind of device. */
  record ReasonsIncomplete(String name, int reasons, int devices) implements PlanFault {}

  /** A plan without violations that needs fewer GPUs than its own bound. */
  record BoundBroken(int gpus, int lowerBoundGpus) implements PlanFault {}
}
