package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.MemorySize;

/** A defect of a plan that does not depend on predictions, with the numbers. */
public sealed interface PlanFault {
  /** The partitions of a GPU add up to more than the whole. */
  record SharesExceeded(int gpu, double percent) implements PlanFault {}

  /** Workloads hold more memory than the GPU has. */
  record MemoryExceeded(int gpu, MemorySize held, MemorySize capacity) implements PlanFault {}

  /** More GPUs of a kind than there are. */
  record CountExceeded(String device, long used, int maxCount) implements PlanFault {}

  /** A GPU that runs nothing. */
  record EmptyGpu(int gpu) implements PlanFault {}

  /** A kind of device that is missing from the fleet. */
  record UnknownDevice(String device) implements PlanFault {}

  /** A workload that is missing from the fleet. */
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

  /** A workload that the plan contains too often. */
  record Repeated(String name, int times) implements PlanFault {}

  /** A workload that has a place and reasons why it has none. */
  record PlacedAndUnplaced(String name) implements PlanFault {}

  /** A reason that the model does not bear out. */
  record UntrueReason(String name, PlanReason reason) implements PlanFault {}

  /** The number of reasons differs from the number of device kinds. */
  record ReasonsIncomplete(String name, int reasons, int devices) implements PlanFault {}

  /** A plan without violations that needs fewer GPUs than its own bound. */
  record BoundBroken(int gpus, int lowerBoundGpus) implements PlanFault {}
}
