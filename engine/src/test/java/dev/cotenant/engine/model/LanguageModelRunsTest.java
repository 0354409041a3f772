package dev.cotenant.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.EngineSpeed;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.LearnedServing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanguageModelRunsTest {
  private static final DeviceId H100 = new DeviceId("h100-80gb");
  private static final String LLAMA = "meta-llama/Llama-3.1-8B";

  static final String CONFIG =
      """
      {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
       "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
       "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": false,
       "torch_dtype": "bfloat16"}
      """;

  private static final String DESCRIPTION =
      """
      {"references": ["%s"], "config": %s, "weights": {"bytes_by_type": {"BF16": 16060522496},
       "parameters": 8030261248, "tensors": 291}}
      """
          .formatted(LLAMA, CONFIG);

  private final Engine engine = Engine.standard();
  private final ModelRegistry registry = ModelRegistry.of(engine);

  @TempDir Path folder;

  private RegisteredModelPredictor predictor(FolderDescriptions folders) {
    return new RegisteredModelPredictor(registry, engine, new LanguageModelRuns(registry, folders));
  }

  private static FolderDescriptions folders(FolderDescriptions.Folders where) {
    return new FolderDescriptions(where, FolderDescriptions.Bounds.DEFAULT, InstantSource.system());
  }

  private void register(String description) throws IOException {
    registry.put(
        registry.read("llama", Files.writeString(folder.resolve("llama.json"), description)));
  }

  private static EngineRun vllm(@Nullable String model, Map<String, String> settings) {
    return new EngineRun(
        "team-a", EngineRun.Kind.SERVER, "vllm", "0.19", model, false, settings, List.of());
  }

  private static Workload workload(EngineRun run) {
    return new Workload(
        Objects.requireNonNullElse(run.model(), run.engine()),
        1,
        RunSettings.of(ExecutionMode.INFERENCE, Precision.BF16),
        run);
  }

  private Outcome predict(EngineRun run) {
    return predictor(folders(FolderDescriptions.Folders.NONE))
        .predict(workload(run), Set.of(H100), Coverage.STANDARD);
  }

  private static Prediction known(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Predicted.class);
    return Objects.requireNonNull(((Outcome.Predicted) outcome).byDevice().get(H100));
  }

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
        new EngineRun(
                "team-a",
                EngineRun.Kind.SERVER,
                "vllm",
                "0.8.5",
                LLAMA,
                false,
                Map.of("max-model-len", "8192"),
                List.of())
            .seeing(MemorySize.ofGiB(40));

    Prediction limited = known(predict(old));

    assertThat(limited.peakMemory().mean()).isBetween(MemorySize.ofGiB(36), MemorySize.ofGiB(40));
    EngineMemory.Least least =
        Objects.requireNonNull(Objects.requireNonNull(limited.engine()).least());
    String share = least.argument().orElseThrow().replaceFirst(".*=", "");
    EngineRun pinned =
        new EngineRun(
                "team-a",
                EngineRun.Kind.SERVER,
                "vllm",
                "0.8.5",
                LLAMA,
                false,
                Map.of("max-model-len", "8192", "gpu-memory-utilization", share),
                List.of())
            .seeing(MemorySize.ofGiB(40));
    EngineMemory shared = Objects.requireNonNull(known(predict(pinned)).engine());
    assertThat(shared.parts().get("kv_cache_tokens")).isBetween(8_192L, 16_384L);
  }

  /** A product that limits a container to half of the card shows it half of the card. */
  @Test
  void aServerTakesItsPartOfTheShareThatItSees() throws IOException {
    register(DESCRIPTION);
    EngineRun whole =
        new EngineRun(
            "team-a",
            EngineRun.Kind.SERVER,
            "vllm",
            "0.19.0",
            LLAMA,
            false,
            Map.of("max-model-len", "8192"),
            List.of());
    long all = known(predict(whole)).peakMemory().mean().bytes();

    EngineRun half = whole.seeing(null, 0.5);

    assertThat(known(predict(half)).peakMemory().mean().bytes() / (double) all)
        .isBetween(0.5, 0.52);
  }

  @Test
  void anOlderServerIsAdvisedByItsShareOfTheCard() throws IOException {
    register(DESCRIPTION);
    EngineRun old =
        new EngineRun(
            "team-a",
            EngineRun.Kind.SERVER,
            "vllm",
            "0.8.5",
            LLAMA,
            false,
            Map.of("max-model-len", "8192"),
            List.of());

    EngineMemory memory = Objects.requireNonNull(known(predict(old)).engine());
    String argument = Objects.requireNonNull(memory.least()).argument().orElseThrow();

    assertThat(argument).matches("--gpu-memory-utilization=0\\.[0-9]{2}");
    EngineRun shared =
        new EngineRun(
            "team-a",
            EngineRun.Kind.SERVER,
            "vllm",
            "0.8.5",
            LLAMA,
            false,
            Map.of(
                "max-model-len",
                "8192",
                "gpu-memory-utilization",
                argument.replaceFirst(".*=", "")),
            List.of());
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
        new EngineRun(
            "team-a",
            EngineRun.Kind.SERVER,
            "vllm",
            "0.19",
            LLAMA,
            false,
            Map.of(),
            List.of("its --config /etc/vllm.yaml could not be read"));

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

  @ParameterizedTest
  @CsvSource({
    "/models/../../etc, neither registered nor below",
    "/etc/passwd, neither registered nor below",
    "../secret, neither registered nor below",
    "org/../../etc, neither registered nor below",
    "https://host/model, neither registered nor below",
    "/models/a b, neither registered nor below",
    "/models/a\u0000b, neither registered nor below",
    "org/a\u0000b, neither registered nor below",
  })
  void readsNothingOutsideTheFolders(String reference, String reason) {
    FolderDescriptions folders =
        folders(new FolderDescriptions.Folders(folder, Map.of("/models", folder)));

    assertThat(folders.find("team-a", reference))
        .isInstanceOfSatisfying(
            Described.Missing.class, missing -> assertThat(missing.why()).contains(reason));
  }

  @Test
  void aFolderWithoutAModelIsMissingWithThePlaceThatWasLookedIn() throws InterruptedException {
    FolderDescriptions folders = folders(new FolderDescriptions.Folders(folder, Map.of()));

    folders.find("team-a", "org/none");
    folders.readNext(Duration.ofMillis(1));

    assertThat(folders.find("team-a", "org/none"))
        .isInstanceOfSatisfying(
            Described.Missing.class,
            missing ->
                assertThat(missing.why()).contains("it was looked for in " + folder, "org/none"));
  }

  @Test
  void aFolderThatIsNotReadKeepsNoPodWaiting() throws InterruptedException {
    Instant[] now = {Instant.parse("2026-11-23T12:00:00Z")};
    FolderDescriptions folders =
        new FolderDescriptions(
            new FolderDescriptions.Folders(folder, Map.of()),
            new FolderDescriptions.Bounds(100, 2, 1 << 20),
            () -> now[0]);
    assertThat(folders.find("team-a", "org/hangs")).isInstanceOf(Described.BeingRead.class);
    now[0] = now[0].plusSeconds(60);
    assertThat(folders.find("team-a", "org/hangs")).isInstanceOf(Described.BeingRead.class);
    now[0] = now[0].plusSeconds(1);

    for (String model : List.of("org/hangs", "org/beyond-the-queue")) {
      assertThat(folders.find("team-a", model))
          .isInstanceOfSatisfying(
              Described.Missing.class,
              missing -> assertThat(missing.why()).contains("not be read within 60 s"));
    }
    assertThat(folders.readNext(Duration.ofMillis(1))).isTrue();
    assertThat(folders.readNext(Duration.ofMillis(1))).isFalse();
  }

  @Test
  void anUnreadableFolderBlocksNoOther() throws IOException, InterruptedException {
    Path unreadable = Files.createDirectories(folder.resolve("org/unreadable"));
    Files.createDirectories(unreadable.resolve("config.json"));
    FolderDescriptions folders = folders(new FolderDescriptions.Folders(folder, Map.of()));
    folders.find("team-a", "org/unreadable");
    folders.find("team-a", "org/none");

    assertThat(folders.readNext(Duration.ofMillis(1))).isTrue();
    assertThat(folders.readNext(Duration.ofMillis(1))).isTrue();
    assertThat(folders.readNext(Duration.ofMillis(1))).isFalse();
    assertThat(folders.find("team-a", "org/unreadable"))
        .isInstanceOfSatisfying(
            Described.Missing.class,
            missing -> assertThat(missing.why()).contains("it was looked for in " + unreadable));
  }

  @Test
  void oneNamespaceNeitherFillsTheCacheNorTheQueue() throws InterruptedException {
    FolderDescriptions folders =
        new FolderDescriptions(
            new FolderDescriptions.Folders(folder, Map.of()),
            new FolderDescriptions.Bounds(100, 8, 1 << 20),
            InstantSource.system());
    folders.find("team-b", "org/kept");
    assertThat(folders.readNext(Duration.ofMillis(1))).isTrue();
    for (int i = 0; i < 1_000; i++) {
      assertThat(folders.find("team-a", "org/m" + i)).isInstanceOf(Described.BeingRead.class);
      if (i % 2 == 0) {
        folders.readNext(Duration.ofMillis(1));
      }
    }

    assertThat(folders.use()[0]).isLessThanOrEqualTo(8 + 1);
    assertThat(folders.find("team-b", "org/kept")).isInstanceOf(Described.Missing.class);
  }

  @Test
  void theBytesOfDescriptionsAreBounded() throws InterruptedException {
    FolderDescriptions folders =
        new FolderDescriptions(
            new FolderDescriptions.Folders(folder, Map.of()),
            new FolderDescriptions.Bounds(10_000, 10_000, 50_000),
            InstantSource.system());
    for (int i = 0; i < 200; i++) {
      folders.find("n" + i, "org/m" + i);
      folders.readNext(Duration.ofMillis(1));
    }

    assertThat(folders.use()[1]).isLessThanOrEqualTo(50_000);
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
