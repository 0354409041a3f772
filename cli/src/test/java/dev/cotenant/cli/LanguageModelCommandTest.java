package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.view.MemoryPredictionView;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.serving.LearnedServing;
import dev.cotenant.llm.source.ModelDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanguageModelCommandTest {
  static final String CONFIG =
      """
      {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
       "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
       "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": false,
       "torch_dtype": "bfloat16"}
      """;

  @TempDir private Path folder = Path.of("");

  private Path model() throws IOException {
    Path model = Files.createDirectories(folder.resolve("models").resolve("llama"));
    Files.writeString(model.resolve("config.json"), CONFIG);
    return model;
  }

  private Path pod(String image, String args) throws IOException {
    String manifest =
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: server
        spec:
          containers:
          - name: engine
            image: %s
            args: [%s]
            env:
            - {name: LENGTH, value: "8192"}
            - name: TOKEN
              valueFrom: {secretKeyRef: {name: hub, key: token}}
        """
            .formatted(image, args);
    return Files.writeString(folder.resolve("pod.yaml"), manifest);
  }

  @Test
  void printsThePartsOfAServer() throws IOException {
    CommandRun run =
        CommandRun.of(
            "predict",
            model(),
            "--engine",
            "vllm",
            "--engine-version",
            "0.19",
            "--device",
            "h100-80gb",
            "--max-model-len",
            "8192",
            "--explain");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(
            "peak memory of a GPU",
            "14.99 GiB",
            "at most 15.",
            "decoding step",
            "a prompt of 1,024 tokens takes",
            "--kv-cache-memory-bytes=1073741824");
  }

  @Test
  void documentsHaveTheirKeys() throws IOException {
    JsonNode found =
        CommandRun.of(
                "predict", model(), "--device", "h100-80gb", "--max-model-len", "8192", "--json")
            .only();
    assertThat(CommandRun.keys(found.path("parts")))
        .containsExactly(
            "weights_bytes",
            "kv_cache_bytes",
            "kv_cache_tokens",
            "activation_bytes",
            "non_torch_bytes",
            "cuda_graph_bytes",
            "context_bytes");
    JsonNode peak = found.path("peak_memory_bytes");
    assertThat(peak.path("upper").asLong()).isGreaterThan(peak.path("mean").asLong());
    assertThat(peak.path("coverage").asDouble()).isEqualTo(0.9);
    assertThat(found.path("serving").path("starts").asBoolean()).isTrue();
    JsonNode weights = found.path("part_bounds").path("weights_bytes");
    assertThat(weights.path("upper").asLong())
        .isGreaterThan(found.path("parts").path("weights_bytes").asLong());
    assertThat(found.path("part_bounds").path("kv_cache_tokens").path("lower").asLong())
        .isLessThan(found.path("parts").path("kv_cache_tokens").asLong());
    assertThat(CommandRun.keys(found.path("speed")))
        .containsExactly(
            "prompt_tokens",
            "generated_tokens",
            "sequences",
            "prefill_seconds",
            "decode_step_seconds",
            "capacity_requests_per_second",
            "utilization_percent");
  }

  @Test
  void aStatedRateGivesTheUtilizationOfAServer() throws IOException {
    JsonNode speed =
        CommandRun.of(
                "predict",
                model(),
                "--device",
                "h100-80gb",
                "--max-model-len",
                "8192",
                "--request-rate",
                "0.1",
                "--generated-tokens",
                "100",
                "--json")
            .only()
            .path("speed");
    assertThat(speed.path("requests_per_second").asDouble()).isEqualTo(0.1);
    assertThat(speed.path("utilization_percent").path("mean").asDouble()).isBetween(3.0, 8.0);
    CommandRun overloaded =
        CommandRun.of("predict", model(), "--device", "l4", "--request-rate", "1000");
    assertThat(overloaded.err()).contains("the stated rate is above what the server answers");
    assertThat(CommandRun.of("predict", model(), "--device", "l4", "--prompt-tokens", "0").err())
        .contains("--prompt-tokens must be from 1");
  }

  @Test
  void predictsWhatTheArgumentsOfAnotherServerState() throws IOException {
    Path manifest =
        pod("lmsysorg/sglang:v0.5", "--model-path=/models/llama, --max-total-tokens=50000");
    JsonNode found = podPrediction(manifest);
    assertThat(found.path("engine").asText()).isEqualTo("sglang");
    assertThat(found.path("parts").path("kv_cache_bytes").asLong()).isEqualTo(50_000L * 131_072);
    assertThat(found.path("peak_memory_bytes").path("coverage").isNull()).isTrue();
    assertThat(found.path("warnings").toString()).contains("unknown until it is measured");
  }

  private JsonNode podPrediction(Path manifest) throws IOException {
    CommandRun run =
        CommandRun.of(
            "predict",
            "-f",
            manifest,
            "--device",
            "h100-80gb",
            "--volume",
            "/models=" + model().getParent(),
            "--json");
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.only();
  }

  /** The repository of models holds the arguments of vLLM. */
  @Test
  void readsTheModelOfTriton() throws IOException {
    model();
    Path repository = folder.resolve("models").resolve("chat").resolve("1");
    Files.createDirectories(repository);
    Files.writeString(
        repository.resolve("model.json"),
        "{\"model\": \"/models/llama\", \"gpu_memory_utilization\": 0.5, \"max_model_len\": 4096}");
    Path manifest =
        pod(
            "nvcr.io/nvidia/tritonserver:25.10-vllm-python-py3",
            "tritonserver, --model-repository=/models");
    JsonNode found = podPrediction(manifest);
    assertThat(found.path("engine").asText()).isEqualTo("vllm");
    assertThat(found.path("settings").path("gpu-memory-utilization").path("source").asText())
        .isEqualTo("config /models/*/1/model.json");
    assertThat(found.path("peak_memory_bytes").path("mean").asLong()).isLessThan(45L << 30);
  }

  private CommandRun decide(Path manifest, String volume) {
    Path examples = Path.of("..", "examples").toAbsolutePath().normalize();
    return CommandRun.of(
        "decide",
        "-f",
        manifest,
        "--snapshot",
        examples.resolve("clusters").resolve("empty.json"),
        "--models",
        examples.resolve("models"),
        "--volume",
        volume);
  }

  @Test
  void decidesAboutAServerWhoseModelLiesHere() throws IOException {
    Path manifest = gpuPod("--model=/models/llama, --max-model-len=8192");
    CommandRun mounted = decide(manifest, "/models=" + model().getParent());
    assertThat(mounted.exitCode()).as(mounted.err()).isZero();
    assertThat(mounted.out())
        .contains("vllm 0.19 needs", "--kv-cache-memory-bytes=1073741824")
        .doesNotContain("ModelUnknown");
    Path named = gpuPod("--model=meta-llama/Llama-3.1-8B, --max-model-len=8192");
    assertThat(decide(named, "meta-llama/Llama-3.1-8B=" + model()).out())
        .contains("vllm 0.19 needs");
    assertThat(decide(named, "/other=" + model()).out()).contains("which is unknown");
    CommandRun gone = decide(named, "meta-llama/Llama-3.1-8B=" + folder.resolve("gone"));
    assertThat(gone.exitCode()).isNotZero();
    assertThat(gone.err()).contains("gone");
  }

  private Path gpuPod(String args) throws IOException {
    Path manifest = pod("vllm/vllm-openai:v0.19.0", args);
    Files.writeString(
        manifest, Files.readString(manifest) + "    resources: {limits: {nvidia.com/gpu: 1}}\n");
    return manifest;
  }

  /** The description that is registered has the numbers of the folder. */
  @Test
  void theServicePredictsADescriptionAsTheCommandDoesItsFolder() throws IOException {
    Path model = model();
    JsonNode printed =
        CommandRun.of(
                "predict",
                model,
                "--device",
                "h100-80gb",
                "--engine-version",
                "0.19",
                "--max-model-len",
                "8192",
                "--json")
            .only();
    EngineRun run =
        new EngineRun(
            "",
            EngineRun.Kind.SERVER,
            "vllm",
            "0.19",
            null,
            true,
            Map.of("max-model-len", "8192"),
            List.of());
    MemoryPrediction served =
        LanguageModelRuns.predict(
            ModelDescription.read(ModelDescription.of(model, List.of()), "llama").model(),
            run,
            DeviceCatalogue.builtIn().require("h100-80gb"),
            new LanguageModelRuns.ServingRequest(0.9, 1, null, LearnedServing.NONE, null));
    JsonNode same =
        new ObjectMapper().valueToTree(MemoryPredictionView.of("llama", served, null, Map.of()));

    for (String key : List.of("parts", "peak_memory_bytes", "serving")) {
      assertThat(same.path(key).toString()).isEqualTo(printed.path(key).toString());
    }
  }

  @Test
  void aPathThatDoesNotExistIsNamed() {
    CommandRun run =
        CommandRun.of(
            "predict", folder.resolve("gone"), "--device", "l4", "--max-model-len", "8192");
    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err()).contains("gone does not exist; name a model folder");
  }

  @Test
  void memoryOfASliceReplacesTheCards() throws IOException {
    JsonNode found =
        CommandRun.of(
                "predict",
                model(),
                "--device",
                "h100-80gb",
                "--max-model-len",
                "8192",
                "--gpu-memory",
                "20",
                "--json")
            .only();
    assertThat(found.path("peak_memory_bytes").path("mean").asLong()).isLessThan(20L << 30);
  }

  @Test
  void predictsGenerationWithTransformers() throws IOException {
    JsonNode found =
        CommandRun.of(
                "predict",
                model(),
                "--engine",
                "transformers",
                "--engine-version",
                "4.46",
                "--device",
                "a100-80gb",
                "--prompt-tokens",
                "6144",
                "--json")
            .only();
    assertThat(found.path("engine").asText()).isEqualTo("transformers");
    assertThat(found.has("serving")).isFalse();
  }

  @Test
  void readsAPodAsItRunsAndSaysWhere() throws IOException {
    Path manifest =
        pod(
            "vllm/vllm-openai:v0.18.0",
            "--model=/models/llama, --max-model-len=$(LENGTH), --max_num_seqs, \"64\"");
    JsonNode found =
        CommandRun.of(
                "predict",
                "-f",
                manifest,
                "--device",
                "h100-80gb",
                "--volume",
                "/models=" + model().getParent(),
                "--json")
            .only();
    assertThat(found.path("engine_version").asText()).isEqualTo("0.18");
    JsonNode settings = found.path("settings");
    assertThat(settings.path("engine-version").path("source").asText()).isEqualTo("image");
    assertThat(settings.path("max-model-len").path("value").asText()).isEqualTo("8192");
    assertThat(settings.path("max-num-seqs").path("value").asText()).isEqualTo("64");
    assertThat(settings.path("max-num-batched-tokens").path("value").asText()).isEqualTo("8192");
    assertThat(settings.path("max-num-batched-tokens").path("source").asText())
        .isEqualTo("default of vLLM 0.18 on h100-80gb");
  }

  @Test
  void predictsTrainingOfAPod() throws IOException {
    Path manifest =
        pod(
            "trainer:1",
            "torchrun, --nproc_per_node=1, train.py, --model_name_or_path=/models/llama,"
                + " --use_peft, --lora_r=16, --per_device_train_batch_size=1, --max_length=512");
    CommandRun run =
        CommandRun.of(
            "predict",
            "-f",
            manifest,
            "--device",
            "l40s",
            "--volume",
            "/models=" + model().getParent(),
            "--explain");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("fine-tuning peft", "state_bytes");
    assertThat(run.err()).contains("q_proj and v_proj are assumed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vllm/vllm-openai:v0.19.0 | --model=/models/llama | say where it lies with --volume",
        "vllm/vllm-openai:v0.19.0 | --port=80 | without a model in its arguments",
        "lmsysorg/sglang:v0.5 | --model-path=/models/llama | say where it lies with --volume",
        "ollama/ollama:0.6 | serve | unknown until it is measured",
        "busybox:1 | sleep | no container runs a language model"
      })
  void namesWhatAPodDoesNotSay(String image, String args, String problem) throws IOException {
    CommandRun run = CommandRun.of("predict", "-f", pod(image, args), "--device", "l4");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err()).contains("pod.yaml", problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--engine=sglang | use vllm or transformers",
        "--engine-version=latest | write it as 0.19",
        "--tensor-parallel-size=7 | must divide the 32 heads",
        "--max-model-len=999999 | above the 131072 tokens",
        "--gpu-memory-utilization=95 | from 0.01 to 1",
        "--quantization=magic | --quantization magic",
        "--gpu-memory=0 | above 0",
        "--concurrency=0 | from 1",
        "--coverage=2 | --coverage"
      })
  void refusesBadOptionsByName(String option, String problem) throws IOException {
    CommandRun run = CommandRun.of("predict", model(), "--device", "h100-80gb", option);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err()).contains(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-f pod.yaml --max-model-len 8192 | --max-model-len cannot be combined with -f",
        "-f pod.yaml --engine transformers | --engine transformers cannot be combined with -f",
        "-f pod.yaml models/llama | cannot be combined with -f",
        "models/llama a.onnx | are mixed",
        "--model-url https://h/x a.onnx | are mixed",
        "-f pod.yaml --model-url https://h/x | https://h/x cannot be combined with -f",
        "https://h/x | A URL is not a FILE: name it with --model-url",
        "--model-url https://h/x | https://h/x: is not read: it is below no allowed URL",
        "--model-url http://h/x --allow-url https://h/ | use https://HOST/PATH",
        "--model-url https://h/x --allow-url h | use https://HOST/PATH",
        "--model-url https://h/x --allow-url https://h | a prefix ends with a slash",
        "--model-url https://localhost:1/x --allow-url https://localhost:1/ | a private address",
        "a.onnx --max-num-seqs 8 | --max-num-seqs concerns language models"
      })
  void refusesArgumentsThatWouldBeIgnored(String words, String problem) throws IOException {
    model();
    pod("vllm/vllm-openai:v0.19.0", "--model=/models/llama");
    List<Object> arguments = new ArrayList<>(List.of("predict", "--device", "l4"));
    for (String word : words.split(" ", -1)) {
      arguments.add(word.matches("pod.yaml|models/.*") ? folder.resolve(word) : word);
    }
    CommandRun run = CommandRun.of(arguments.toArray());
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err()).contains(problem);
  }

  @Test
  void aPodNamesAModelByAnAllowedUrl() throws IOException {
    String url = "https://localhost:1/llama/";
    Path manifest = pod("vllm/vllm-openai:v0.19.0", "--model=" + url);

    CommandRun refused = CommandRun.of("predict", "-f", manifest, "--device", "l4");
    CommandRun allowed =
        CommandRun.of(
            "predict",
            "-f",
            manifest,
            "--device",
            "l4",
            "--allow-private-url",
            "https://localhost:1/");

    assertThat(refused.err()).contains(url + ": is not read: it is below no allowed URL");
    assertThat(allowed.exitCode()).isEqualTo(1);
    assertThat(allowed.err()).contains(url + "config.json: cannot be read");
  }

  @Test
  void volumesDoNotLeaveTheirFolder() throws IOException {
    model();
    Path manifest = pod("vllm/vllm-openai:v0.19.0", "--model=/m/../../secret");
    CommandRun run =
        CommandRun.of(
            "predict",
            "-f",
            manifest,
            "--device",
            "l4",
            "--volume",
            "/m=" + folder.resolve("models").resolve("llama"));
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("say where it lies");
  }
}
