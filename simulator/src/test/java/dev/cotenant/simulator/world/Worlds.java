package dev.cotenant.simulator.world;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Small clusters and jobs of tests. */
public final class Worlds {
  public static final Device DEVICE = DeviceCatalogue.builtIn().require("rtx-3090");
  public static final GpuKind KIND =
      new GpuKind(DEVICE, MemorySize.ofGiB(24), new GpuKind.Power(100, 300));

  private Worlds() {}

  /** Alone at speed 1, with each neighbour a fifth slower. */
  public static final SpeedModel FIFTH = (_, others, _) -> StrictMath.pow(0.8, others.size());

  public static WorldSettings gpus(int count, SpeedModel speeds) {
    return WorldSettings.of(List.of(new WorldSettings.Machine("node", KIND, count)), speeds);
  }

  public static Duration seconds(long count) {
    return Duration.ofSeconds(count);
  }

  /** A job with constant load and memory of which all is predicted as it is. */
  public static Arrival job(String name, long atSeconds, long workSeconds, int percent, int gib) {
    Phase phase =
        Phase.of(seconds(workSeconds), new Phase.Load(name, percent), MemorySize.ofGiB(gib));
    return new Arrival(
        seconds(atSeconds), submission(name, percent, MemorySize.ofGiB(gib)), Truth.of(phase));
  }

  public static Submission submission(String name, double percent, MemorySize memory) {
    Utilization busy = Utilization.ofPercent(percent);
    Prediction prediction =
        new Prediction(
            DEVICE.id(),
            1,
            RunSettings.DEFAULT,
            new UtilizationEstimate(busy, busy, busy, Coverage.of(1)),
            new MemoryEstimate(memory, memory, memory, Coverage.of(1)),
            "exact",
            List.of());
    return new Submission(name, name, memory, Map.of(DEVICE.id(), prediction));
  }
}
