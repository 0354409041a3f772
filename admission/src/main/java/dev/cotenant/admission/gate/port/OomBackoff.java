package dev.cotenant.admission.gate.port;

import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.PredictionAdjustment;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Workload;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Raises the predicted peak memory of workloads after an out-of-memory kill, for pods of the same
 * namespace alone: a pod may state a kill that did not happen.
 *
 * <p>A kill raises the upper bound to what {@link MemoryShortage} states; lower bound and mean move
 * by the same amount. A month after the last one it counts no more. The state is local to the
 * process; a new leader restores it from its predecessor's leader state.
 */
public final class OomBackoff implements PredictionAdjustment, MemoryCorrection {
  private final InstantSource clock;
  private final Map<String, Map<OnDevice, MemoryShortage>> floors = new ConcurrentHashMap<>();

  private record OnDevice(Workload workload, DeviceId device) {}

  public OomBackoff(InstantSource clock) {
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
  public Prediction adjust(
      String namespace, Workload workload, Prediction prediction, Coverage level) {
    MemoryShortage shortage =
        floors.getOrDefault(namespace, Map.of()).get(new OnDevice(workload, prediction.device()));
    return shortage == null || shortage.isOver(clock.instant())
        ? prediction
        : raise(prediction, shortage.atLeast());
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
