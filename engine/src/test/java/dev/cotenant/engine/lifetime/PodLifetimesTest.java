package dev.cotenant.engine.lifetime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.AdjustedPredictor;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.lifecycle.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PodLifetimesTest {
  private static final DeviceId A100 = DeviceCatalogue.builtIn().require("a100-40gb").id();
  private static final Workload TRAINING = new Workload("resnet50", 64, RunSettings.DEFAULT);

  private final List<LifetimeStore.Lifetime> stored = new ArrayList<>();
  private boolean down;
  private final PodLifetimes lifetimes =
      new PodLifetimes(
          new LifetimeStore() {
            @Override
            public void add(List<Lifetime> more) {
              stored.addAll(more);
            }

            @Override
            public long state() {
              if (down) {
                throw new StoreException("The store is down.", new IOException("as told"));
              }
              return stored.size();
            }

            @Override
            public List<Lifetime> all() {
              return stored;
            }
          });

  private void ran(String namespace, Workload workload, Duration length) {
    stored.add(
        new LifetimeStore.Lifetime(namespace, PodLifetimes.key(workload), length, Instant.EPOCH));
    lifetimes.refresh();
  }

  private static WorkloadPredictor.Outcome predicted(
      Workload workload, Set<DeviceId> devices, Coverage level) {
    UtilizationEstimate busy =
        new UtilizationEstimate(Utilization.IDLE, Utilization.IDLE, Utilization.IDLE, level);
    MemoryEstimate memory =
        new MemoryEstimate(MemorySize.ZERO, MemorySize.ZERO, MemorySize.ZERO, level);
    return new WorkloadPredictor.Outcome.Predicted(
        devices.stream()
            .collect(
                Collectors.toMap(
                    device -> device,
                    device ->
                        new Prediction(
                            device,
                            workload.batchSize(),
                            workload.settings(),
                            busy,
                            memory,
                            "test",
                            List.of()))));
  }

  private @Nullable Duration expected(
      String namespace, Workload workload, @Nullable Duration prior) {
    WorkloadPredictor predictor =
        new AdjustedPredictor(PodLifetimesTest::predicted, new ExpectedLifetimes(lifetimes, prior));
    return predictor.predictIn(namespace, workload, Set.of(A100), Coverage.STANDARD)
            instanceof WorkloadPredictor.Outcome.Predicted(Map<DeviceId, Prediction> byDevice)
        ? byDevice.values().iterator().next().stay()
        : null;
  }

  @Test
  void theLongestOfTwoRunsIsExpected() {
    assertThat(expected("team-a", TRAINING, null)).isNull();
    ran("team-a", TRAINING, Duration.ofHours(2));
    assertThat(expected("team-a", TRAINING, null)).isNull();
    assertThat(expected("team-a", TRAINING, Duration.ofHours(9))).isEqualTo(Duration.ofHours(9));

    ran("team-a", TRAINING, Duration.ofHours(1));
    assertThat(expected("team-a", TRAINING, Duration.ofHours(9))).isEqualTo(Duration.ofHours(2));
  }

  @Test
  void runsOfOtherNamespacesAndWorkloadsDoNotCount() {
    ran("team-a", TRAINING, Duration.ofHours(2));
    ran("team-a", TRAINING, Duration.ofHours(2));
    Workload other = new Workload("resnet50", 65, RunSettings.DEFAULT);
    RunSettings serving = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);

    assertThat(expected("team-b", TRAINING, null)).isNull();
    assertThat(expected("team-a", other, null)).isNull();
    assertThat(expected("team-a", new Workload("resnet50", 64, serving), null)).isNull();
  }

  @Test
  void theRateOfAServerIsNotPartOfItsKey() {
    RunSettings serving = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);
    assertThat(PodLifetimes.key(new Workload("m", 1, serving.withLoad(new Load.RequestRate(20)))))
        .isEqualTo(
            PodLifetimes.key(new Workload("m", 1, serving.withLoad(new Load.RequestRate(21)))))
        .hasSize(64)
        .isNotEqualTo(PodLifetimes.key(new Workload("m\n1", 1, serving)));
  }

  @Test
  void whileTheStoreIsDownTheLastStaysCount() {
    ran("team-a", TRAINING, Duration.ofHours(2));
    ran("team-a", TRAINING, Duration.ofHours(2));
    down = true;

    org.assertj.core.api.Assertions.assertThatThrownBy(lifetimes::refresh)
        .isInstanceOf(StoreException.class);
    assertThat(expected("team-a", TRAINING, null)).isEqualTo(Duration.ofHours(2));
  }
}
