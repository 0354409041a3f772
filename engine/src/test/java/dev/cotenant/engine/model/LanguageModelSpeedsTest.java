package dev.cotenant.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.EngineSpeed;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.LearnedServing;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LanguageModelSpeedsTest extends LlamaRuns {
  private Prediction atRate(double perSecond, Map<String, String> settings) {
    Workload workload = workload(vllm(LLAMA, settings));
    return known(
        predictor(folders(FolderDescriptions.Folders.NONE))
            .predict(
                new Workload(
                    workload.model(),
                    1,
                    workload.settings().withLoad(new Load.RequestRate(perSecond)),
                    workload.engine()),
                Set.of(H100),
                Coverage.STANDARD));
  }

  /** Weights of 15 GB, less the embedding, at 3.35 TB/s: 4.5 ms for a step at least. */
  @Test
  void aStatedRateGivesTheUtilizationOfTheSteps() throws IOException {
    register(DESCRIPTION);
    Map<String, String> settings =
        Map.of("max-model-len", "8192", "prompt-tokens", "1000", "generated-tokens", "100");

    Prediction few = atRate(0.1, settings);
    Prediction more = atRate(1, settings);
    Prediction most = atRate(1_000, settings);

    EngineSpeed speed = Objects.requireNonNull(Objects.requireNonNull(few.engine()).speed());
    assertThat(speed.decode().meanSeconds()).isBetween(0.0045, 0.006);
    assertThat(speed.prefill().meanSeconds()).isBetween(0.015, 0.06);
    assertThat(few.utilization().mean().percent()).isBetween(4.0, 6.0);
    assertThat(few.utilization().upper()).isGreaterThan(few.utilization().mean());
    assertThat(few.utilization().coverage()).isNull();
    assertThat(more.utilization().mean()).isGreaterThan(few.utilization().mean());
    assertThat(most.utilization().mean()).isEqualTo(Utilization.FULL);
    EngineSpeed overloaded = Objects.requireNonNull(Objects.requireNonNull(most.engine()).speed());
    assertThat(overloaded.isOverloaded()).isTrue();
    assertThat(speed.isOverloaded()).isFalse();
    assertThat(known(predict(vllm(LLAMA, settings))).utilization().coverage())
        .isEqualTo(Coverage.CERTAIN);
  }

  @Test
  void launchesLengthenStepsAndSeveralSequencesShareThem() throws IOException {
    register(DESCRIPTION);
    EngineSpeed graphs = speed(vllm(LLAMA, Map.of()), 1);
    EngineSpeed eager = speed(vllm(LLAMA, Map.of("enforce-eager", "true")), 1);
    EngineSpeed many = speed(vllm(LLAMA, Map.of()), 64);

    assertThat(eager.decode().meanSeconds()).isGreaterThan(31 * 32 * 28e-6);
    assertThat(many.decode().meanSeconds() / 64).isLessThan(graphs.decode().meanSeconds() / 10);
    assertThat(many.requestsPerSecond()).isEqualTo(graphs.requestsPerSecond());
    EngineRun stages = vllm(LLAMA, Map.of("pipeline-parallel-size", "2"));
    assertThat(speeds(stages, 1)).isNull();
  }

  @Test
  void everyDeviceWithHalfPrecisionHasAStepTime() throws IOException {
    register(DESCRIPTION);
    EngineRun run = vllm(LLAMA, Map.of("max-model-len", "2048"));
    for (Device device : engine.devices().devices()) {
      EngineSpeed found = speeds(run, 1, device.id().value());
      if (device.peak().computes(Precision.FP16)) {
        assertThat(Objects.requireNonNull(found, device.toString()).decode().meanSeconds())
            .isBetween(1e-3, 0.5);
      } else {
        assertThat(found).isNull();
      }
    }
  }

  private EngineSpeed speed(EngineRun run, int sequences) {
    return Objects.requireNonNull(speeds(run, sequences));
  }

  private @Nullable EngineSpeed speeds(EngineRun run, int sequences) {
    return speeds(run, sequences, "h100-80gb");
  }

  private @Nullable EngineSpeed speeds(EngineRun run, int sequences, String on) {
    LanguageModel model = registry.findLanguageModel(LLAMA).orElseThrow().description().model();
    Device device = engine.devices().require(on);
    LanguageModelRuns.ServingRequest request =
        new LanguageModelRuns.ServingRequest(0.9, sequences, null, LearnedServing.NONE, null);
    return LanguageModelRuns.speed(
        model, run, device, request, LanguageModelRuns.predict(model, run, device, request));
  }
}
