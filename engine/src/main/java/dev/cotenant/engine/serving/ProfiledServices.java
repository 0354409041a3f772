package dev.cotenant.engine.serving;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Predicts services by their profiles: times of a batch, on the whole device and in partitions, are
 * the profile's where one is stored under the model's name for the device; everything else is
 * another predictor's.
 */
public final class ProfiledServices implements WorkloadPredictor {
  /** A service has few batches; beyond this many the memory is emptied. */
  private static final int MAX_REMEMBERED = 10_000;

  private final WorkloadPredictor others;
  private final ServiceProfiles profiles;
  private final Map<Question, Optional<ProfiledTimes>> remembered = new ConcurrentHashMap<>();

  private record Question(
      WorkloadProfile profile, DeviceProfile device, int batch, Coverage level) {}

  public ProfiledServices(WorkloadPredictor others, ServiceProfiles profiles) {
    this.others = others;
    this.profiles = profiles;
  }

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    return predictIn(ServiceProfiles.EVERY_NAMESPACE, workload, devices, level);
  }

  @Override
  public Outcome predictIn(
      String namespace, Workload workload, Set<DeviceId> devices, Coverage level) {
    Outcome outcome = others.predictIn(namespace, workload, devices, level);
    if (profiles.isEmpty()
        || workload.settings().mode() == ExecutionMode.TRAINING
        || !(outcome instanceof Outcome.Predicted(Map<DeviceId, Prediction> predicted))) {
      return outcome;
    }
    Map<DeviceId, Prediction> timed = new HashMap<>(predicted);
    timed.replaceAll((device, prediction) ->
        profiles
            .of(namespace, workload.model(), device)
            .flatMap(profile -> times(namespace, profile, prediction, level))
            .map(times -> times.on(prediction))
            .orElse(prediction));
    return new Outcome.Predicted(timed);
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
                new Question(profile, known, prediction.batchSize(), level),
                asked ->
                    ProfiledTimes.of(
                        asked.profile(), asked.device(), asked.batch(), asked.level())));
  }
}
