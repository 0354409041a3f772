package dev.cotenant.admission;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * One small cluster, empty and full: {@code gpu-1} with four A100, {@code gpu-2} with a V100 and an
 * A100 that MIG has split.
 */
public final class TestClusters {
  public static final Instant NOW = Instant.parse("2026-11-21T02:35:18Z");

  private static final Duration WINDOW = Duration.ofMinutes(10);
  private static final Instant LONG_AGO = NOW.minus(Duration.ofHours(1));

  private TestClusters() {}

  /** Nobody is on any GPU. */
  public static ClusterSnapshot empty() {
    Tenancy free = new Tenancy.Shared(List.of());
    return new ClusterSnapshot(
        NOW,
        List.of(
            a100("GPU-a0", "gpu-1", free, used(0)),
            a100("GPU-a1", "gpu-1", free, used(0)),
            a100("GPU-a2", "gpu-1", free, used(0)),
            a100("GPU-a3", "gpu-1", free, used(0)),
            v100("GPU-v0", free, used(0)),
            a100("GPU-m0", "gpu-2", new Tenancy.Mig(), used(0))));
  }

  /** Every GPU refuses, each for another reason. */
  public static ClusterSnapshot full() {
    return new ClusterSnapshot(
        NOW,
        List.of(
            a100(
                "GPU-a0",
                "gpu-1",
                shared(tenant("x", 5, 2), tenant("y", 5, 2), tenant("z", 5, 2)),
                used(6)),
            a100("GPU-a1", "gpu-1", shared(tenant("busy", 75, 4)), used(4)),
            a100("GPU-a2", "gpu-1", shared(tenant("big", 5, 36)), used(36)),
            a100("GPU-a3", "gpu-1", new Tenancy.Exclusive("team-b/whole"), used(20)),
            v100(
                "GPU-v0",
                shared(tenant("old", 5, 2)),
                new MemoryObservation.Stale(Duration.ofMinutes(9), Duration.ofMinutes(2))),
            a100("GPU-m0", "gpu-2", new Tenancy.Mig(), used(0))));
  }

  public static GpuSnapshot a100(
      String uuid, String node, Tenancy tenancy, MemoryObservation memory) {
    return new GpuSnapshot(
        uuid,
        node,
        DeviceCatalogue.builtIn().require("a100-40gb"),
        MemorySize.ofGiB(39),
        tenancy,
        memory);
  }

  private static GpuSnapshot v100(String uuid, Tenancy tenancy, MemoryObservation memory) {
    return new GpuSnapshot(
        uuid,
        "gpu-2",
        DeviceCatalogue.builtIn().require("v100-16gb"),
        MemorySize.ofGiB(15),
        tenancy,
        memory);
  }

  /** A steady series. */
  public static MemoryObservation used(long gibibytes) {
    MemorySize used = MemorySize.ofGiB(gibibytes);
    return new MemoryObservation.Measured(used, used, Duration.ofSeconds(10), WINDOW, List.of());
  }

  private static Tenancy shared(Tenant... tenants) {
    return new Tenancy.Shared(List.of(tenants));
  }

  private static Tenant tenant(String name, double utilizationPercent, long gibibytes) {
    Prediction prediction =
        FakePredictor.of(
            utilizationPercent,
            MemorySize.ofGiB(gibibytes),
            DeviceCatalogue.builtIn().require("a100-40gb").id());
    return new Tenant(
        "team-b/" + name,
        prediction.utilization(),
        prediction.peakMemory(),
        Slowdown.ofRatio(1.15),
        LONG_AGO);
  }
}
