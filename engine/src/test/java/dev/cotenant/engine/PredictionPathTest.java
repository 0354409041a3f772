package dev.cotenant.engine;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.AdjustedPredictor;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.lifecycle.BaseModel;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.cache.CachedRunPredictor;
import dev.cotenant.predictor.cache.MeasuredRunCache;
import dev.cotenant.predictor.model.PredictionRequest;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a prediction passes between a decision and the model, composed as in the service. */
class PredictionPathTest {
  private static final DeviceId A100 = new DeviceId("a100-40gb");

  private final Set<String> passed = new LinkedHashSet<>();

  private Prediction predict(PredictionRequest request) {
    StackWalker.getInstance()
        .walk(frames ->
            frames
                .map(frame -> frame.getClassName().replaceFirst("\\$.*", ""))
                .filter(name -> name.startsWith("dev.cotenant."))
                .map(name -> name.substring(name.lastIndexOf('.') + 1))
                .filter(name -> !name.equals(getClass().getSimpleName()))
                .collect(toCollection(() -> passed)));
    return Predictor.builtIn().predict(request);
  }

  @Test
  void isOfFiveClasses() {
    Engine engine = Engine.standard();
    Serving serving =
        new Serving(
            new FakeModelStore(),
            (_, _) -> new BaseModel(this::predict, "recorded", "# Card", "seed: 1\n"),
            new byte[] {1},
            () -> Instant.EPOCH);
    engine.serve(new CachedRunPredictor(serving, MeasuredRunCache::empty));
    ModelRegistry registry = ModelRegistry.of(engine);
    registry.loadDirectory(Path.of("../examples/models"));

    Outcome outcome =
        new AdjustedPredictor(
                new RegisteredModelPredictor(registry, engine), (_, _, prediction, _) -> prediction)
            .predictIn(
                "team-a",
                new Workload("resnet50", 8, RunSettings.DEFAULT),
                Set.of(A100),
                Coverage.STANDARD);

    assertThat(outcome).isInstanceOf(Outcome.Predicted.class);
    assertThat(List.copyOf(passed).reversed())
        .containsExactly(
            "AdjustedPredictor",
            "RegisteredModelPredictor",
            "Engine",
            "CachedRunPredictor",
            "Serving");
  }
}
