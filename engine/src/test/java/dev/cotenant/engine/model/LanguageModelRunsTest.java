package dev.cotenant.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanguageModelRunsTest extends LlamaRuns {
  private static String why(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.UnknownModel.class);
    return String.valueOf(((Outcome.UnknownModel) outcome).why());
  }

  @Test
  void countsWhatAServerTakesOfTheCardAndSaysWhatItNeeds() throws IOException {
    register(DESCRIPTION);

    Prediction prediction = known(predict(vllm(LLAMA, Map.of("max-model-len", "8192"))));

    EngineMemory memory = Objects.requireNonNull(prediction.engine());
    EngineMemory.Least least = Objects.requireNonNull(memory.least());
    double card = 80.0 * (1L << 30) * 0.9899;
    assertThat((double) memory.takes().bytes()).isGreaterThan(0.9 * card);
    assertThat(prediction.peakMemory().upper().bytes())
        .isGreaterThanOrEqualTo(memory.takes().bytes());
    assertThat(prediction.peakMemory().coverage()).isEqualTo(Coverage.of(0.9));
    // One sequence: 8,192 tokens, 32 layers, keys and values, 8 heads of 128, two bytes.
    long cache = 8_192L * 32 * 2 * 8 * 128 * 2;
    assertThat(least.argument()).contains("--kv-cache-memory-bytes=" + cache);
    assertThat(least.upper().isAtMost(memory.takes())).isTrue();
    assertThat(memory.advice()).contains("needs", "takes", "set --kv-cache-memory-bytes=" + cache);
    assertThat(memory.parts()).containsKeys("weights_bytes", "kv_cache_tokens", "context_bytes");
    assertThat(prediction.utilization().lower()).isEqualTo(Utilization.IDLE);
    assertThat(prediction.utilization().upper()).isEqualTo(Utilization.FULL);
  }

  @Test
  void aServerThatFollowsTheAdviceTakesWhatItWasSaidToNeed() throws IOException {
    register(DESCRIPTION);
    EngineMemory.Least least =
        Objects.requireNonNull(
            Objects.requireNonNull(
                    known(predict(vllm(LLAMA, Map.of("max-model-len", "8192")))).engine())
                .least());
    String bytes = least.argument().orElseThrow().replaceFirst(".*=", "");

    Prediction pinned =
        known(
            predict(vllm(LLAMA, Map.of("max-model-len", "8192", "kv-cache-memory-bytes", bytes))));

    assertThat(pinned.peakMemory().mean()).isEqualTo(least.mean());
    assertThat(Objects.requireNonNull(pinned.engine()).advice()).isEmpty();
  }

  /** A server of a container that is shown 40 GiB of the card takes its share of these. */
  @Test
  void aServerTakesItsShareOfTheMemoryThatItSees() throws IOException {
    register(DESCRIPTION);
    EngineRun old =
        vllm("0.8.5", LLAMA, Map.of("max-model-len", "8192")).seeing(MemorySize.ofGiB(40));

    Prediction limited = known(predict(old));

    assertThat(limited.peakMemory().mean()).isBetween(MemorySize.ofGiB(36), MemorySize.ofGiB(40));
    EngineMemory.Least least =
        Objects.requireNonNull(Objects.requireNonNull(limited.engine()).least());
    String share = least.argument().orElseThrow().replaceFirst(".*=", "");
    EngineRun pinned =
        vllm("0.8.5", LLAMA, Map.of("max-model-len", "8192", "gpu-memory-utilization", share))
            .seeing(MemorySize.ofGiB(40));
    EngineMemory shared = Objects.requireNonNull(known(predict(pinned)).engine());
    assertThat(shared.parts().get("kv_cache_tokens")).isBetween(8_192L, 16_384L);
  }

  /** A product that limits a container to half of the card shows it half of the card. */
  @Test
  void aServerTakesItsPartOfTheShareThatItSees() throws IOException {
    register(DESCRIPTION);
    EngineRun whole = vllm("0.19.0", LLAMA, Map.of("max-model-len", "8192"));
    long all = known(predict(whole)).peakMemory().mean().bytes();

    EngineRun half = whole.seeing(null, 0.5);

    assertThat(known(predict(half)).peakMemory().mean().bytes() / (double) all)
        .isBetween(0.5, 0.52);
  }

  @Test
  void anOlderServerIsAdvisedByItsShareOfTheCard() throws IOException {
    register(DESCRIPTION);
    EngineRun old = vllm("0.8.5", LLAMA, Map.of("max-model-len", "8192"));

    EngineMemory memory = Objects.requireNonNull(known(predict(old)).engine());
    String argument = Objects.requireNonNull(memory.least()).argument().orElseThrow();

    assertThat(argument).matches("--gpu-memory-utilization=0\\.[0-9]{2}");
    EngineRun shared =
        vllm(
            "0.8.5",
            LLAMA,
            Map.of(
                "max-model-len",
                "8192",
                "gpu-memory-utilization",
                argument.replaceFirst(".*=", "")));
    assertThat(known(predict(shared)).engine()).isNotNull();
    assertThat(
            Objects.requireNonNull(known(predict(shared)).engine()).parts().get("kv_cache_tokens"))
        .isGreaterThanOrEqualTo(8_192);
  }

  @ParameterizedTest
  @CsvSource({
    "tensor-parallel-size, 3, must divide",
    "max-model-len, 900000, is above the 131072 tokens",
    "quantization, q9, is unknown",
    "max-num-seqs, many, is not a whole number",
    "gpu-memory-utilization, 7, must be from",
  })
  void whatTheEngineWouldRefuseIsUnknownWithItsReason(String flag, String value, String reason)
      throws IOException {
    register(DESCRIPTION);

    assertThat(why(predict(vllm(LLAMA, Map.of(flag, value)))))
        .startsWith("the engine would not start: ")
        .contains(reason);
  }

  @Test
  void namesWhatWasLookedForAndWhatToDo() {
    assertThat(why(predict(vllm(LLAMA, Map.of()))))
        .contains(
            "it runs vllm with 'meta-llama/Llama-3.1-8B'",
            "it is not registered",
            "./cotenant upload FOLDER --reference meta-llama/Llama-3.1-8B");
    assertThat(why(predict(vllm(null, Map.of())))).contains("without a model in its arguments");
    EngineRun other =
        new EngineRun(
            "team-a", EngineRun.Kind.UNMODELLED, "ollama", null, LLAMA, false, Map.of(), List.of());
    assertThat(why(predict(other))).contains("runs ollama", "unknown until it is measured");
  }

  @Test
  void boundsThatRestOnSomethingUnreadAreAssumed() throws IOException {
    register(DESCRIPTION);
    EngineRun vague =
        vllm("0.19", LLAMA, Map.of(), "its --config /etc/vllm.yaml could not be read");

    assertThat(known(predict(vague)).coverage()).isEmpty();
    assertThat(known(predict(vllm(LLAMA, Map.of("enable-lora", "true")))).coverage()).isEmpty();
    assertThat(known(predict(vllm(LLAMA, Map.of()))).coverage()).isPresent();
  }

  @Test
  void aNameOfAContainerIsNoGraph() {
    registry.loadDirectory(Path.of("..", "examples", "models").toAbsolutePath().normalize());

    assertThat(why(predict(vllm("resnet50", Map.of())))).contains("it is not registered");
    EngineRun annotated =
        new EngineRun(
            "team-a",
            EngineRun.Kind.TRAINING,
            "torchrun",
            null,
            "resnet50",
            true,
            Map.of(),
            List.of());
    assertThat(
            predictor(folders(FolderDescriptions.Folders.NONE))
                .predict(
                    new Workload("resnet50", 8, RunSettings.DEFAULT, annotated),
                    Set.of(new DeviceId("a100-40gb")),
                    Coverage.STANDARD))
        .isInstanceOf(Outcome.Predicted.class);
  }

  @Test
  void aReadingThreadFindsWhatPodsName() throws IOException, InterruptedException {
    Path model = Files.createDirectories(folder.resolve("hub/meta-llama/Llama-3.1-8B"));
    Files.writeString(model.resolve("config.json"), CONFIG);
    FolderDescriptions folders =
        folders(
            new FolderDescriptions.Folders(
                folder.resolve("hub"), Map.of("/models", folder.resolve("hub"))));
    RegisteredModelPredictor predictor = predictor(folders);

    Outcome first =
        predictor.predict(workload(vllm(LLAMA, Map.of())), Set.of(H100), Coverage.STANDARD);
    assertThat(first).isInstanceOf(Outcome.UnknownModel.class);
    assertThat(((Outcome.UnknownModel) first).isPending()).isTrue();
    assertThat(folders.readNext(Duration.ofMillis(1))).isTrue();
    assertThat(folders.readNext(Duration.ofMillis(1))).isFalse();

    assertThat(
            known(
                    predictor.predict(
                        workload(vllm(LLAMA, Map.of())), Set.of(H100), Coverage.STANDARD))
                .engine())
        .isNotNull();
    String mounted = "/models/meta-llama/Llama-3.1-8B";
    predictor.predict(workload(vllm(mounted, Map.of())), Set.of(H100), Coverage.STANDARD);
    folders.readNext(Duration.ofMillis(1));
    known(predictor.predict(workload(vllm(mounted, Map.of())), Set.of(H100), Coverage.STANDARD));
  }

  @Test
  void aDescriptionOfAGraphsNameReplacesIt() throws IOException {
    Path graph = Path.of("..", "examples", "models", "resnet18.onnx");
    registry.put(registry.read("llama", graph));
    assertThat(registry.find("llama")).isPresent();

    register(DESCRIPTION);

    assertThat(registry.find("llama")).isEmpty();
    RegisteredLanguageModel found = registry.findLanguageModel(LLAMA).orElseThrow();
    assertThat(registry.findLanguageModel("sha256:" + found.sha256())).contains(found);
    assertThat(registry.all()).containsExactly(found);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"config\": 7} | is '7', not an object",
        "{\"weights\": {}} | lacks config",
        "{\"config\": {}} | lacks hidden_size",
        "{\"config\": {}, \"code\": \"x\"} | unknown field 'code'",
        "{\"config\" | is not a JSON object",
      })
  void refusesADescriptionWithItsFault(String description, String fault) {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> register(description))
        .withMessageContaining(fault);
    assertThat(registry.all()).isEmpty();
  }

  private static EngineRun of(EngineRun.Kind kind, String engine, Map<String, String> settings) {
    return new EngineRun("team-a", kind, engine, null, LLAMA, false, settings, List.of());
  }

  /** 131,072 bytes a token: the weights and this cache are known, and nothing of the rest. */
  @Test
  void anotherServerHasItsWeightsAndItsCacheAndTheCardAsItsBound() throws IOException {
    register(DESCRIPTION);
    Map<String, String> settings = Map.of("max-total-tokens", "100000");

    Prediction found = known(predict(of(EngineRun.Kind.UNMODELLED, "sglang", settings)));

    EngineMemory memory = Objects.requireNonNull(found.engine());
    assertThat(memory.parts()).containsEntry("kv_cache_bytes", 100_000L * 131_072);
    assertThat(memory.least()).isNull();
    assertThat((double) found.peakMemory().upper().bytes()).isGreaterThan(0.98 * 80 * (1L << 30));
    assertThat(found.coverage()).isEmpty();
  }

  @Test
  void generationIsBoundedByTheLongestPrompt() throws IOException {
    register(DESCRIPTION);

    Prediction found = known(predict(of(EngineRun.Kind.GENERATION, "transformers", Map.of())));
    Prediction stated =
        known(
            predict(
                of(
                    EngineRun.Kind.GENERATION,
                    "transformers",
                    Map.of("prompt-tokens", "100", "generated-tokens", "100"))));

    // Stated numbers are means: some prompt may be as long as the model allows.
    for (Prediction each : List.of(found, stated)) {
      assertThat(each.peakMemory().upper().bytes())
          .isGreaterThan(each.peakMemory().mean().bytes() + 100_000L * 131_072);
    }
    assertThat(found.warnings()).anyMatch(line -> line.contains("prompt-tokens is not stated"));
    assertThat(
            why(
                predict(
                    of(EngineRun.Kind.GENERATION, "transformers", Map.of("prompt-tokens", "x")))))
        .contains("the engine would not start", "prompt-tokens x");
  }
}
