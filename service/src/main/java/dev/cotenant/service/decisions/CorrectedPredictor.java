package dev.cotenant.service.decisions;

import dev.cotenant.admission.gate.MemoryCorrection;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Workload;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Raises the memory of workloads that ran out of what they were predicted to need.
 *
 * <p>What was granted was not enough, so the next grant is a quarter more, and so on until it is;
 * the bounds keep their distance from the mean. Kept in the process: a leader that is new is told
 * by what its predecessor noted.
 */
public final class CorrectedPredictor implements WorkloadPredictor, MemoryCorrection {
  /** A quarter: three steps nearly double. */
  private static final double STEP = 1.25;

  private final WorkloadPredictor predictor;
  private final Map<Workload, Map<DeviceId, MemorySize>> floors = new ConcurrentHashMap<>();

  public CorrectedPredictor(WorkloadPredictor predictor) {
    this.predictor = predictor;
  }

  @Override
  public void ranOut(Workload workload, DeviceId device, MemorySize atLeast) {
    floors
        .computeIfAbsent(workload, _ -> new ConcurrentHashMap<>())
        .merge(device, atLeast.times(STEP), MemorySize::max);
  }

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices) {
    Outcome outcome = predictor.predict(workload, devices);
    @Nullable Map<DeviceId, MemorySize> raised = floors.get(workload);
    return raised != null && outcome instanceof Outcome.Predicted(var byDevice)
        ? new Outcome.Predicted(raise(byDevice, raised))
        : outcome;
  }

  private static Map<DeviceId, Prediction> raise(
      Map<DeviceId, Prediction> predictions, Map<DeviceId, MemorySize> floors) {
    Map<DeviceId, Prediction> raised = new HashMap<>(predictions);
    floors.forEach(
        (device, floor) -> raised.computeIfPresent(device, (_, one) -> raise(one, floor)));
    return raised;
  }

  private static Prediction raise(Prediction prediction, MemorySize floor) {
    MemoryEstimate memory = prediction.peakMemory();
    MemorySize missing = floor.minusOrZero(memory.upper());
    return prediction.withPeakMemory(
        new MemoryEstimate(
            memory.mean().plus(missing),
            memory.lower().plus(missing),
            memory.upper().plus(missing),
            memory.coverage()));
  }
}
