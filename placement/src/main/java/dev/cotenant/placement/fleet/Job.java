package dev.cotenant.placement.fleet;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Duration;
import java.util.Map;

/**
 * Training to be packed onto GPUs that are shared in time.
 *
 * @param name unique in the fleet
 * @param duration alone on a GPU, positive
 * @param requested the memory that its owner requests
 * @param predictions by device id; a job cannot run on other devices
 */
public record Job(
    String name,
    Duration duration,
    MemorySize requested,
    Map<String, DevicePrediction> predictions) {
  public Job {
    predictions = Map.copyOf(predictions);
    if (!duration.isPositive()) {
      throw InputException.invalidArgument(
          "workload-out-of-range",
          "The duration of job '" + name + "' must be above 0, is " + duration + ".");
    }
  }

  /**
   * Solo prediction of a job on one kind of device.
   *
   * @param utilization its estimate
   * @param peakMemory the estimate
   */
  public record DevicePrediction(Utilization utilization, MemorySize peakMemory) {}
}
