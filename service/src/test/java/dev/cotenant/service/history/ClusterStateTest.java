package dev.cotenant.service.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.Engine;
import dev.cotenant.service.RunningService;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClusterStateTest {
  private static final MemorySize USED = MemorySize.ofMiB(455);
  private static final MemorySize BOUND = MemorySize.ofGiB(26);

  /** A free GPU on node gpu-1. */
  private static final GpuSnapshot FREE =
      Engine.standard()
          .snapshot(
              Engine.standard()
                  .readCluster(RunningService.root().resolve("examples/clusters/empty.json")))
          .gpus()
          .getFirst();

  private static ClusterState state(GpuSnapshot gpu, Map<String, String> unschedulable) {
    return ClusterState.of(
        new ClusterSnapshot(Instant.EPOCH, List.of(gpu)),
        new ClusterState.Context(
            0, unschedulable, List.of(), SharingLimits.DEFAULT, Map.of(), (_, _) -> 1));
  }

  private static GpuRow rowWithBound(boolean isAssumed) {
    MemoryForecast forecast =
        new MemoryForecast(
            "test",
            new MemoryForecast.Applies("", USED, USED, BOUND, Coverage.STANDARD, isAssumed),
            Duration.ofMinutes(5),
            3,
            Duration.ZERO);
    MemoryObservation observation =
        new MemoryObservation.Measured(
            USED, USED, Duration.ZERO, Duration.ofMinutes(30), List.of(forecast));
    return state(FREE.withMemory(observation), Map.of()).rows().getFirst();
  }

  @Test
  void aFreeGpuOfACordonedNodeIsNotFree() {
    assertThat(state(FREE, Map.of()).figures()).containsEntry(Figure.FREE_GPUS, 1.0);
    ClusterState cordoned = state(FREE, Map.of(FREE.node(), "cordoned"));
    assertThat(cordoned.figures())
        .containsEntry(Figure.FREE_GPUS, 0.0)
        .containsEntry(Figure.UNSCHEDULABLE_GPUS, 1.0);
    assertThat(cordoned.rows().getFirst().state()).isEqualTo(GpuState.UNSCHEDULABLE);
    assertThat(cordoned.rows().getFirst().unschedulable()).isEqualTo("cordoned");
    assertThat(cordoned.rows().getFirst().index()).isZero();
  }

  @Test
  void aShareOfCapacityIsNoForecast() {
    assertThat(rowWithBound(false).forecastUpperBytes()).isEqualTo(BOUND.bytes());
    assertThat(rowWithBound(false).assumedUpperBytes()).isNull();
    assertThat(rowWithBound(true).forecastUpperBytes()).isNull();
    assertThat(rowWithBound(true).assumedUpperBytes()).isEqualTo(BOUND.bytes());
  }
}
