package dev.cotenant.domain.workload;

import dev.cotenant.domain.InputException;

/**
 * A registered model with the batch and settings it will run with.
 *
 * @param model the registered name, or {@code sha256:} and 64 hexadecimal digits
 * @param batchSize samples per step, at least 1
 * @param settings mode and precision
 */
public record Workload(String model, int batchSize, RunSettings settings) {
  public Workload {
    if (batchSize < 1) {
      throw InputException.invalidArgument(
          "batch-out-of-range", "The batch size must be at least 1, is " + batchSize + ".");
    }
  }
}
