package dev.cotenant.admission.gate.port;

import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Workload;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Raises the predicted peak memory of workloads after an out-of-memory kill, for pods of the same
 * namespace alone: a pod may state a kill that did not happen.
 *
 * <p>A kill raises the upper bound to what {@link MemoryShortage} states; lower bound and mean move
 * by the same amount. A month after the last one it counts no more. The state is in this process; a
 * new leader restores it from the leader state of its predecessor.
 */
public final class OomBackoffPredictor implements WorkloadPredictor, MemoryCorrection {
  private final WorkloadPredictor predictor;
  private final InstantSource clock;
  private final Map<String, Map<OnDevice, MemoryShortage>> floors = new ConcurrentHashMap<>();

  private record OnDevice(Workload workload, DeviceId device) {}

  public OomBackoffPredictor(WorkloadPredictor predictor, InstantSource clock) {
    this.predictor = predictor;
    this.clock = clock;
  }

  @Override
  public void ranOut(MemoryShortage shortage) {
    floors.compute(shortage.namespace(), (_, before) -> with(before, shortage));
  }

  @Override
  public void replaceAll(Collection<MemoryShortage> shortages) {
    Map<String, Map<OnDevice, MemoryShortage>> all = new HashMap<>();
    shortages.forEach(one -> all.compute(one.namespace(), (_, before) -> with(before, one)));
    floors.keySet().retainAll(all.keySet());
    floors.putAll(all);
  }

  private static Map<OnDevice, MemoryShortage> with(
      @Nullable Map<OnDevice, MemoryShortage> before, MemoryShortage shortage) {
    Map<OnDevice, MemoryShortage> all = before == null ? new HashMap<>() : new HashMap<>(before);
    all.merge(new OnDevice(shortage.workload(), shortage.device()), shortage, MemoryShortage::and);
    if (all.size() > LeaderState.MAX_SHORTAGES_OF_NAMESPACE) {
      all.entrySet().stream()
          .min(Comparator.comparing(one -> one.getValue().lastAt()))
          .map(Map.Entry::getKey)
          .ifPresent(all::remove);
    }
    return Map.copyOf(all);
  }

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    return predictor.predict(workload, devices, level);
  }

  @Override
  public Outcome predictIn(
      String namespace, Workload workload, Set<DeviceId> devices, Coverage level) {
    Outcome outcome = predictor.predictIn(namespace, workload, devices, level);
    Map<OnDevice, MemoryShortage> own = floors.getOrDefault(namespace, Map.of());
    return !own.isEmpty() && outcome instanceof Outcome.Predicted(var byDevice)
        ? new Outcome.Predicted(raise(byDevice, workload, own))
        : outcome;
  }

  private Map<DeviceId, Prediction> raise(
      Map<DeviceId, Prediction> predictions, Workload workload, Map<OnDevice, MemoryShortage> own) {
    Instant now = clock.instant();
    Map<DeviceId, Prediction> raised = new HashMap<>(predictions);
    raised.replaceAll((device, one) -> {
      MemoryShortage shortage = own.get(new OnDevice(workload, device));
      return shortage == null || shortage.isOver(now) ? one : raise(one, shortage.atLeast());
    });
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
