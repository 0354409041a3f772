package dev.cotenant.admission;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.Workload;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Servers of language models take 30 GiB whatever they need, which is what {@link FakePredictor}
 * predicts of their model, with a KV cache of 1 GiB.
 */
final class FakeServers implements WorkloadPredictor {
  static final long CACHE_BYTES = 1L << 30;

  private static final MemorySize TAKES = MemorySize.ofGiB(30);

  private final FakePredictor jobs = new FakePredictor();

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    EngineRun run = workload.engine();
    Outcome outcome = jobs.predict(workload, devices, level);
    if (run == null
        || run.kind() != EngineRun.Kind.SERVER
        || !(outcome instanceof Outcome.Predicted(Map<DeviceId, Prediction> byDevice))) {
      return outcome;
    }
    Map<DeviceId, Prediction> servers = new HashMap<>();
    byDevice.forEach((device, one) -> servers.put(device, server(run, one)));
    return new Outcome.Predicted(servers);
  }

  private static Prediction server(EngineRun run, Prediction one) {
    MemoryEstimate needs = one.peakMemory();
    EngineMemory.Least least =
        new EngineMemory.Least(
            needs.mean(),
            needs.upper(),
            needs.coverage(),
            CACHE_BYTES,
            new EngineMemory.Limit.CacheBytes());
    return one.withPeakMemory(new MemoryEstimate(TAKES, MemorySize.ZERO, TAKES, needs.coverage()))
        .withEngine(new EngineMemory(run.engine(), TAKES, Map.of(), least, null));
  }
}
