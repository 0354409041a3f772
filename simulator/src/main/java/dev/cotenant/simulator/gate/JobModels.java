package dev.cotenant.simulator.gate;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.simulator.world.Submission;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The registered models: jobs of one configuration that came with the same predictions run one
 * model. Its bounds come with the jobs, regardless of the requested level.
 */
final class JobModels implements WorkloadPredictor {
  private final Map<Model, String> names = new HashMap<>();
  private final Map<String, Map<DeviceId, Prediction>> predictions = new HashMap<>();

  private record Model(String configuration, Map<DeviceId, Prediction> predictions) {}

  /** The name of a job's model; null without predictions. */
  @Nullable String of(Submission job) {
    if (job.predictions().isEmpty()) {
      return null;
    }
    String name =
        names.computeIfAbsent(
            new Model(job.configuration(), job.predictions()), _ -> "model-" + names.size());
    predictions.putIfAbsent(name, job.predictions());
    return name;
  }

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    Map<DeviceId, Prediction> known = predictions.get(workload.model());
    return known == null
        ? new Outcome.UnknownModel(workload.model())
        : new Outcome.Predicted(known);
  }
}
