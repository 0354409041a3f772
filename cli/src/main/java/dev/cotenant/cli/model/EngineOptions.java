package dev.cotenant.cli.model;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.serving.LearnedServing;
import dev.cotenant.llm.serving.LearnedServingFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of predict that concern language models. */
final class EngineOptions {
  static final String VLLM = "vllm";
  static final String TRANSFORMERS = "transformers";

  private final Map<String, Value> flags = new LinkedHashMap<>();

  @Option(
      names = {"-f", "--file"},
      paramLabel = "POD.yaml",
      description = "A pod whose containers run a language model, in place of FILE.")
  private @Nullable Path pod;

  @Option(
      names = "--volume",
      paramLabel = "PATH=DIR",
      description = "Local directory of a path of the pod's containers; repeatable.")
  private Map<String, Path> volumes = new LinkedHashMap<>();

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description = "Engine of the language model: vllm (default) or transformers.")
  private String engine = VLLM;

  @Option(
      names = "--engine-version",
      paramLabel = "VERSION",
      description = "Its version, such as 0.19; by default the newest that was measured.")
  private @Nullable String version;

  @Option(
      names = "--gpu-memory",
      paramLabel = "GIB",
      description =
          "Memory visible to the process, such as that of a MIG instance; by default the"
              + " GPU's.")
  private @Nullable Double gpuMemory;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "1",
      description = "Concurrent sequences for the minimum serving memory (default 1).")
  private int concurrency;

  @Option(
      names = "--prompt-tokens",
      paramLabel = "N",
      defaultValue = "1024",
      description = "Tokens of a request's prompt (default 1024).")
  private long promptTokens;

  @Option(
      names = "--generated-tokens",
      paramLabel = "N",
      defaultValue = "1024",
      description = "Tokens of its answer (default 1024).")
  private long generatedTokens;

  @Option(
      names = "--constants",
      paramLabel = "FILE.json",
      description = "Coefficients of vLLM from 'learn vllm-log'.")
  private @Nullable Path constants;

  @Option(
      names = "--explain",
      description = "A table of the parts of a language model's memory and the source of each.")
  private boolean explain;

  @Option(
      names = {"--max-model-len"},
      paramLabel = "N",
      description = "Of vLLM: tokens of the longest sequence; by default the model's.")
  void maxModelLen(@Nullable String text) {
    put("max-model-len", text);
  }

  @Option(
      names = {"--tensor-parallel-size", "-tp"},
      paramLabel = "N",
      description = "Of vLLM: GPUs that divide every matrix (default 1).")
  void tensorParallelSize(@Nullable String text) {
    put("tensor-parallel-size", text);
  }

  @Option(
      names = {"--pipeline-parallel-size", "-pp"},
      paramLabel = "N",
      description = "Of vLLM: GPUs that divide the layers (default 1).")
  void pipelineParallelSize(@Nullable String text) {
    put("pipeline-parallel-size", text);
  }

  @Option(
      names = "--gpu-memory-utilization",
      paramLabel = "SHARE",
      description = "Of vLLM: share of the GPU's memory (default 0.90; 0.92 from 0.21).")
  void gpuMemoryUtilization(@Nullable String text) {
    put("gpu-memory-utilization", text);
  }

  @Option(
      names = "--kv-cache-memory-bytes",
      paramLabel = "BYTES",
      description = "Of vLLM: the KV cache, in place of the utilization.")
  void kvCacheMemoryBytes(@Nullable String text) {
    put("kv-cache-memory-bytes", text);
  }

  @Option(
      names = "--max-num-seqs",
      paramLabel = "N",
      description = "Of vLLM: sequences of a batch; the default depends on version and GPU.")
  void maxNumSeqs(@Nullable String text) {
    put("max-num-seqs", text);
  }

  @Option(
      names = "--max-num-batched-tokens",
      paramLabel = "N",
      description = "Of vLLM: tokens of a batch; the default depends on version and GPU.")
  void maxNumBatchedTokens(@Nullable String text) {
    put("max-num-batched-tokens", text);
  }

  @Option(
      names = "--dtype",
      paramLabel = "TYPE",
      description = "Of vLLM: auto (default), bfloat16, float16 or float32.")
  void dtype(@Nullable String text) {
    put("dtype", text);
  }

  @Option(
      names = "--quantization",
      paramLabel = "METHOD",
      description = "Of vLLM: fp8, awq, gptq, mxfp4 or bitsandbytes; by default the model's.")
  void quantization(@Nullable String text) {
    put("quantization", text);
  }

  @Option(
      names = "--kv-cache-dtype",
      paramLabel = "TYPE",
      description = "Of vLLM: auto (default) or fp8.")
  void kvCacheDtype(@Nullable String text) {
    put("kv-cache-dtype", text);
  }

  @Option(names = "--enforce-eager", description = "Of vLLM: no CUDA graphs.")
  void enforceEager(boolean eager) {
    put("enforce-eager", eager ? "true" : null);
  }

  private void put(String flag, @Nullable String text) {
    if (text != null) {
      flags.put(flag, new Value(text, "command line"));
    }
  }

  /**
   * Refuses options that a pod's own arguments state.
   *
   * @throws InputException ({@code conflicting-arguments}) naming one
   */
  void requireNoneBesideAPod(List<?> models) {
    if (!models.isEmpty()) {
      throw conflicting(models.getFirst() + " cannot be combined with -f " + pod);
    }
    if (!flags.isEmpty()) {
      throw conflicting(
          "--" + flags.keySet().iterator().next() + " cannot be combined with -f " + pod);
    }
    if (!engine.equals(VLLM)) {
      throw conflicting("--engine " + engine + " cannot be combined with -f " + pod);
    }
  }

  /**
   * Refuses options of engines beside ONNX files.
   *
   * @throws InputException ({@code conflicting-arguments}) naming one
   */
  void requireNoneBesideGraphs(List<Path> files) {
    if (flags.isEmpty()) {
      return;
    }
    for (Path file : files) {
      if (!file.toString().endsWith(".onnx") && !Files.exists(file)) {
        throw InputException.notFound(
            "model-not-found",
            PlainText.of(file.toString())
                + " does not exist; name a model folder, a config.json or a GGUF file.");
      }
    }
    throw conflicting(
        "--" + flags.keySet().iterator().next() + " concerns language models, FILE is ONNX");
  }

  private static InputException conflicting(String what) {
    return InputException.invalidArgument(
        "conflicting-arguments", what + "; leave out one of them.");
  }

  Map<String, Value> flags() {
    return flags;
  }

  @Nullable Path pod() {
    return pod;
  }

  Map<String, Path> volumes() {
    return volumes;
  }

  /** {@code vllm} or {@code transformers}. */
  String engine() {
    if (!engine.equals(VLLM) && !engine.equals(TRANSFORMERS)) {
      throw InputException.invalidArgument(
          "unknown-engine", "Unknown engine '" + engine + "': use vllm or transformers.");
    }
    return engine;
  }

  @Nullable String version() {
    return version;
  }

  @Nullable Double gpuMemory() {
    if (gpuMemory != null && !(gpuMemory > 0 && gpuMemory < 1 << 14)) {
      throw InputException.invalidArgument(
          "bad-gpu-memory",
          "--gpu-memory must be above 0 and below 16384 GiB, is " + gpuMemory + ".");
    }
    return gpuMemory;
  }

  int concurrency() {
    if (concurrency < 1 || concurrency > 1 << 20) {
      throw InputException.invalidArgument(
          "bad-concurrency", "--concurrency must be from 1 to 1048576, is " + concurrency + ".");
    }
    return concurrency;
  }

  long promptTokens() {
    return tokens("--prompt-tokens", promptTokens);
  }

  long generatedTokens() {
    return tokens("--generated-tokens", generatedTokens);
  }

  private static long tokens(String option, long tokens) {
    if (tokens < 1 || tokens > 1 << 24) {
      throw InputException.invalidArgument(
          "bad-tokens", option + " must be from 1 to 16777216, is " + tokens + ".");
    }
    return tokens;
  }

  /** What was learned from logs; nothing without {@code --constants}. */
  LearnedServing learned() {
    if (constants == null) {
      return LearnedServing.NONE;
    }
    try {
      return LearnedServingFile.read(Files.readAllBytes(constants), constants.toString());
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "constants-unreadable",
          constants + " cannot be read; write it with 'learn vllm-log'.",
          e);
    }
  }

  boolean explain() {
    return explain;
  }
}
