package dev.cotenant.admission.gate.port;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Workload;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Raises the predicted peak memory of workloads after an out-of-memory kill.
 *
 * <p>Each kill raises the upper bound to 1.25 times the granted memory; lower bound and mean move
 * by the same amount. The state is in this process; a new leader restores it from the leader state
 * of its predecessor.
 */
public final class OomBackoffPredictor implements WorkloadPredictor, MemoryCorrection {
  /** A quarter: three steps nearly double. */
  private static final double STEP = 1.25;

  private final WorkloadPredictor predictor;
  private final Map<Workload, Map<DeviceId, MemorySize>> floors = new ConcurrentHashMap<>();

  public OomBackoffPredictor(WorkloadPredictor predictor) {
    this.predictor = predictor;
  }

  @Override
  public void ranOut(Workload workload, DeviceId device, MemorySize atLeast) {
    floors
        .computeIfAbsent(workload, _ -> new ConcurrentHashMap<>())
        .merge(device, atLeast.times(STEP), MemorySize::max);
  }

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    return raised(workload, predictor.predict(workload, devices, level));
  }

  @Override
  public Outcome predictIn(
      String namespace, Workload workload, Set<DeviceId> devices, Coverage level) {
    return raised(workload, predictor.predictIn(namespace, workload, devices, level));
  }

  private Outcome raised(Workload workload, Outcome outcome) {
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
