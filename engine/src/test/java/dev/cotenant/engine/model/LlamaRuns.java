package dev.cotenant.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** Runs of Llama 3.1 8B, and what is predicted of them on an H100. */
abstract class LlamaRuns {
  static final DeviceId H100 = new DeviceId("h100-80gb");
  static final String LLAMA = "meta-llama/Llama-3.1-8B";

  static final String CONFIG =
      """
      {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
       "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
       "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": false,
       "torch_dtype": "bfloat16"}
      """;

  static final String DESCRIPTION =
      """
      {"references": ["%s"], "config": %s, "weights": {"bytes_by_type": {"BF16": 16060522496},
       "parameters": 8030261248, "tensors": 291}}
      """
          .formatted(LLAMA, CONFIG);

  final Engine engine = Engine.standard();
  final ModelRegistry registry = ModelRegistry.of(engine);

  @TempDir Path folder;

  RegisteredModelPredictor predictor(FolderDescriptions folders) {
    return new RegisteredModelPredictor(registry, engine, new LanguageModelRuns(registry, folders));
  }

  static FolderDescriptions folders(FolderDescriptions.Folders where) {
    return new FolderDescriptions(where, FolderDescriptions.Bounds.DEFAULT, InstantSource.system());
  }

  void register(String description) throws IOException {
    registry.put(
        registry.read("llama", Files.writeString(folder.resolve("llama.json"), description)));
  }

  static EngineRun vllm(@Nullable String model, Map<String, String> settings) {
    return vllm("0.19", model, settings);
  }

  /**
   * A server of vLLM.
   *
   * @param unread what of its arguments could not be read
   */
  static EngineRun vllm(
      String version, @Nullable String model, Map<String, String> settings, String... unread) {
    return new EngineRun(
        "team-a", EngineRun.Kind.SERVER, "vllm", version, model, false, settings, List.of(unread));
  }

  static Workload workload(EngineRun run) {
    return new Workload(
        Objects.requireNonNullElse(run.model(), run.engine()),
        1,
        RunSettings.of(ExecutionMode.INFERENCE, Precision.BF16),
        run);
  }

  Outcome predict(EngineRun run) {
    return predictor(folders(FolderDescriptions.Folders.NONE))
        .predict(workload(run), Set.of(H100), Coverage.STANDARD);
  }

  static Prediction known(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Predicted.class);
    return Objects.requireNonNull(((Outcome.Predicted) outcome).byDevice().get(H100));
  }
}
