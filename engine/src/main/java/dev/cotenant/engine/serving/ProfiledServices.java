package dev.cotenant.engine.serving;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.PredictionAdjustment;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Times services by their profiles: those of a batch, on the whole device and in partitions, are
 * the profile's where one is stored under the model's name for the device.
 */
public final class ProfiledServices implements PredictionAdjustment {
  /** A service has few batches; beyond this many the memory is emptied. */
  private static final int MAX_REMEMBERED = 10_000;

  private final ProfileSource profiles;
  private final Map<Timing, Optional<ProfiledTimes>> remembered = new ConcurrentHashMap<>();

  private record Timing(WorkloadProfile profile, DeviceProfile device, int batch, Coverage level) {}

  public ProfiledServices(ProfileSource profiles) {
    this.profiles = profiles;
  }

  @Override
  public Prediction adjust(
      String namespace, Workload workload, Prediction prediction, Coverage level) {
    if (profiles.isEmpty() || workload.settings().mode() == ExecutionMode.TRAINING) {
      return prediction;
    }
    return profiles
        .workload(namespace, workload.model(), prediction.device())
        .flatMap(profile -> times(namespace, profile, prediction, level))
        .map(times -> times.on(prediction))
        .orElse(prediction);
  }

  /** None of an engine's: its batches change from step to step. */
  private Optional<ProfiledTimes> times(
      String namespace, WorkloadProfile profile, Prediction prediction, Coverage level) {
    if (prediction.engine() != null) {
      return Optional.empty();
    }
    if (remembered.size() > MAX_REMEMBERED) {
      remembered.clear();
    }
    return profiles
        .device(namespace, prediction.device())
        .flatMap(known ->
            remembered.computeIfAbsent(
                new Timing(profile, known, prediction.batchSize(), level),
                timing ->
                    ProfiledTimes.of(
                        timing.profile(), timing.device(), timing.batch(), timing.level())));
  }
}
