package dev.cotenant.engine.rate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.AdjustedPredictor;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifetime.PodLifetimes;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import dev.cotenant.engine.view.PredictionView;
import dev.cotenant.placement.serving.ObjectivePredictions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Predictions of a graph at a measured rate are those at the same rate stated. */
class MeasuredRatesTest {
  private static final DeviceId A100 = DeviceCatalogue.builtIn().require("a100-40gb").id();
  private static final Instant NOW = Instant.parse("2026-11-29T10:00:00Z");
  private static final RunSettings SERVING =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);
  private static final Workload UNSTATED = new Workload("resnet50", 8, SERVING);

  private final WorkloadPredictor predictor = predictor(50);

  private static WorkloadPredictor predictor(double perSecond) {
    Engine engine = Engine.standard();
    ModelRegistry registry = ModelRegistry.of(engine);
    assertThat(registry.loadDirectory(Path.of("../examples/models"))).isEmpty();
    List<RateStore.HourlyRate> day =
        IntStream.range(0, RequestRates.MIN_HOURS)
            .mapToObj(hour ->
                new RateStore.HourlyRate(
                    "team-a",
                    PodLifetimes.key(UNSTATED),
                    perSecond,
                    NOW.minus(Duration.ofHours(hour))))
            .toList();
    RequestRates rates =
        new RequestRates(
            new RateStore() {
              @Override
              public void add(List<HourlyRate> more) {
                throw new UnsupportedOperationException();
              }

              @Override
              public long state() {
                return 1;
              }

              @Override
              public List<HourlyRate> all() {
                return day;
              }
            },
            () -> NOW);
    rates.refresh();
    return new AdjustedPredictor(new RegisteredModelPredictor(registry, engine)).withLoads(rates);
  }

  private Prediction of(String namespace, Workload workload) {
    Outcome outcome = predictor.predictIn(namespace, workload, Set.of(A100), Coverage.STANDARD);
    assertThat(outcome).isInstanceOf(Outcome.Predicted.class);
    return Objects.requireNonNull(((Outcome.Predicted) outcome).byDevice().get(A100));
  }

  @Test
  void utilizationIsThatAtTheMeasuredRate() {
    Prediction measured = of("team-a", UNSTATED);
    Prediction stated =
        of("team-a", new Workload("resnet50", 8, SERVING.withLoad(new Load.RequestRate(50))));
    Prediction unknown = of("team-b", UNSTATED);

    assertThat(measured.utilization()).isEqualTo(stated.utilization());
    assertThat(measured.peakMemory()).isEqualTo(unknown.peakMemory());
    assertThat(measured.utilization().upper().percent())
        .isLessThan(unknown.utilization().upper().percent() / 2);
    assertThat(PredictionView.ofModel("resnet50", measured).requestRateSource())
        .isEqualTo("measured");
    assertThat(PredictionView.ofModel("resnet50", stated).requestRateSource()).isEqualTo("stated");
    assertThat(PredictionView.ofModel("resnet50", unknown).requestRateSource()).isNull();
  }

  @Test
  void theObjectiveCountsItsQueueAndNamesItsSource() {
    ObjectivePrediction measured = objective(of("team-a", UNSTATED));
    ObjectivePrediction unknown = objective(of("team-b", UNSTATED));

    assertThat(measured.mostSlowdown()).isLessThan(unknown.mostSlowdown());
    assertThat(measured.target()).isEqualTo("50.0 ms at 50.0/s (measured)");
    assertThat(unknown.target()).isEqualTo("50.0 ms");
  }

  private static ObjectivePrediction objective(Prediction prediction) {
    Map<DeviceId, Prediction> answered =
        ObjectivePredictions.of(
            Map.of(A100, prediction),
            Duration.ofMillis(50),
            _ -> new ObjectivePredictions.Limiting.None());
    return Objects.requireNonNull(Objects.requireNonNull(answered.get(A100)).service());
  }
}
