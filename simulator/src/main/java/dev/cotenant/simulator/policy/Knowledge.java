package dev.cotenant.simulator.policy;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.simulator.world.JobView;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What a policy knows of a job's use of a GPU. */
@FunctionalInterface
interface Knowledge {
  /**
   * Use of a GPU.
   *
   * @param utilizationPercent share of time with a kernel running when alone
   * @param memory peak of device memory
   */
  record Usage(double utilizationPercent, MemorySize memory) {}

  /** Empty where nothing is known. */
  Optional<Usage> of(JobView job);

  /** Means of the predictions for a device. */
  static Knowledge predictedOn(DeviceId device) {
    return job ->
        Optional.ofNullable(job.submission().predictions().get(device))
            .map(prediction ->
                new Usage(
                    prediction.utilization().mean().percent(), prediction.peakMemory().mean()));
  }

  /** Utilization as predicted; memory is ignored. */
  static Knowledge utilizationPredictedOn(DeviceId device) {
    return job ->
        Optional.ofNullable(job.submission().predictions().get(device))
            .map(prediction ->
                new Usage(prediction.utilization().mean().percent(), MemorySize.ZERO));
  }

  /** Solo measurements of the job itself, after at least this time. */
  static Knowledge measured(Duration least) {
    return job ->
        job.measured()
            .filter(measured -> measured.alone().compareTo(least) >= 0)
            .map(measured -> new Usage(measured.utilizationPercent(), measured.peakMemory()));
  }

  /** As above, or the measurements of an earlier job of its configuration. */
  static Knowledge remembered(Duration least) {
    Knowledge own = measured(least);
    Map<String, Usage> byConfiguration = new HashMap<>();
    return job -> {
      String configuration = job.submission().configuration();
      own.of(job).ifPresent(usage -> byConfiguration.putIfAbsent(configuration, usage));
      return Optional.ofNullable(byConfiguration.get(configuration));
    };
  }
}
