package dev.cotenant.llm.pod;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of vLLM as settings.
 *
 * @param settings what decides about memory
 * @param ignored one line for each argument that takes memory and is not counted
 */
public record VllmArguments(VllmSettings settings, List<String> ignored) {
  /** Flags that {@link #of} and {@link #modelAsRun} read, by name with dashes. */
  public static final Set<String> NAMES =
      Set.of(
          "tensor-parallel-size",
          "pipeline-parallel-size",
          "max-model-len",
          "gpu-memory-utilization",
          "kv-cache-memory-bytes",
          "kv-cache-memory",
          "max-num-seqs",
          "max-num-batched-tokens",
          "kv-cache-dtype",
          "enforce-eager",
          "dtype",
          "quantization",
          "speculative-config",
          "speculative-model",
          "enable-lora",
          "lora-modules",
          "cpu-offload-gb",
          "num-gpu-blocks-override",
          "compilation-config",
          "optimization-level",
          "cudagraph-capture-sizes",
          "max-cudagraph-capture-size",
          "cuda-graph-sizes",
          "max-seq-len-to-capture",
          "kv-transfer-config",
          "limit-mm-per-prompt",
          "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS",
          "VLLM_ALLOW_LONG_MAX_MODEL_LEN");

  private static final Pattern SIZE =
      Pattern.compile("([0-9]{1,15}(?:\\.[0-9]{1,6})?)([kKmMgGtT]?)(i?[bB])?");
  private static final String GRAPHS = "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS";
  private static final String LONG = "VLLM_ALLOW_LONG_MAX_MODEL_LEN";

  /** Variables of a container that are read like flags. */
  static final List<String> ENVIRONMENT = List.of(GRAPHS, LONG);

  private static final Set<String> TYPES =
      Set.of("auto", "half", "float16", "bfloat16", "float", "float32");

  private static final Set<String> CACHE_TYPES =
      Set.of("auto", "bfloat16", "float16", "fp8", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "fp8_ds_mla");

  /** Arguments that take memory which no formula counts; also by a key of their JSON. */
  private static final Map<String, String> UNCOUNTED =
      Map.ofEntries(
          Map.entry("speculative-config", "a draft model"),
          Map.entry("speculative-model", "a draft model"),
          Map.entry("enable-lora", "slots of adapters"),
          Map.entry("lora-modules", "slots of adapters"),
          Map.entry("cpu-offload-gb", "weights that the host keeps"),
          Map.entry("num-gpu-blocks-override", "a fixed number of blocks"),
          Map.entry("compilation-config", "its CUDA graphs"),
          Map.entry("optimization-level", "its CUDA graphs"),
          Map.entry("cudagraph-capture-sizes", "its CUDA graphs"),
          Map.entry("max-cudagraph-capture-size", "its CUDA graphs"),
          Map.entry("cuda-graph-sizes", "its CUDA graphs"),
          Map.entry("max-seq-len-to-capture", "its CUDA graphs"),
          Map.entry("kv-transfer-config", "buffers of a KV connector"),
          Map.entry("limit-mm-per-prompt", "inputs that are no text"));

  public VllmArguments {
    ignored = List.copyOf(ignored);
  }

  /**
   * The flag of a key as command lines have it: {@code speculative-config} of {@code
   * speculative-config.model}.
   */
  public static String flag(String key) {
    int dot = key.indexOf('.');
    return dot < 0 ? key : key.substring(0, dot);
  }

  /**
   * Of flags by name.
   *
   * @throws InputException ({@code bad-engine-argument}) naming the flag and where it was read
   */
  public static VllmArguments of(VllmVersion version, Map<String, Value> flags) {
    Parser parser = new Parser(flags);
    List<String> ignored = new ArrayList<>();
    new TreeMap<>(UNCOUNTED)
        .forEach((flag, what) -> {
          Value value = flags.get(flag);
          if (value == null
              ? flags.keySet().stream().anyMatch(key -> key.startsWith(flag + "."))
              : !value.text().equals("false")) {
            ignored.add("--" + flag + " (" + what + ") is not counted");
          }
        });
    Value graphs = flags.get(GRAPHS);
    Value cache = flags.get("kv-cache-dtype");
    if (cache != null && !CACHE_TYPES.contains(cache.text().toLowerCase(Locale.ROOT))) {
      if (!version.isNewer()) {
        throw Parser.bad("kv-cache-dtype", cache, "one of " + listed(CACHE_TYPES));
      }
      ignored.add("--kv-cache-dtype " + cache.text() + " of a newer release is not counted");
    }
    return new VllmArguments(
        new VllmSettings(
            version,
            parser.count("tensor-parallel-size", 1),
            parser.count("pipeline-parallel-size", 1),
            parser.length("max-model-len"),
            parser.fraction("gpu-memory-utilization"),
            firstOf(parser.size("kv-cache-memory-bytes"), parser.size("kv-cache-memory")),
            parser.optionalCount("max-num-seqs"),
            parser.batch("max-num-batched-tokens"),
            cache != null && cache.text().toLowerCase(Locale.ROOT).startsWith("fp8") ? 1 : null,
            parser.truth("enforce-eager"),
            graphs == null ? null : !graphs.text().equals("0")),
        ignored);
  }

  private static String listed(Set<String> values) {
    return String.join(", ", new TreeSet<>(values));
  }

  private static @Nullable Long firstOf(@Nullable Long left, @Nullable Long right) {
    return left != null ? left : right;
  }

  /**
   * The model as these flags run it: {@code --dtype} and {@code --quantization}.
   *
   * @throws InputException ({@code bad-engine-argument}) for an unknown quantization, and for
   *     another one than that of the weights, as in vLLM
   */
  public static LanguageModel modelAsRun(LanguageModel model, Map<String, Value> flags) {
    Value type = flags.get("dtype");
    if (type != null && !TYPES.contains(type.text())) {
      throw Parser.bad("dtype", type, "one of " + listed(TYPES));
    }
    boolean single = type != null && (type.text().equals("float32") || type.text().equals("float"));
    Value any = flags.get(LONG);
    boolean unlimited = any != null && any.text().matches("1|(?i)true");
    LanguageModel typed = (unlimited ? model.unlimited() : model).in(single ? 4 : 2);
    Value quantization = flags.get("quantization");
    if (quantization == null || quantization.text().equals("None")) {
      return typed;
    }
    if (!typed.quantization().isNone()) {
      String stored = kernels(typed.quantization().method());
      String wanted = kernels(quantization.text());
      if (stored.isEmpty() || wanted.isEmpty() || stored.equals(wanted)) {
        return typed;
      }
      throw InputException.invalidArgument(
          "bad-engine-argument",
          "--quantization "
              + quantization.text()
              + " ("
              + quantization.source()
              + ") contradicts the weights of "
              + typed.name()
              + ", which are "
              + stored
              + ": leave it out.");
    }
    if (!kernels(quantization.text()).isEmpty()) {
      throw InputException.invalidArgument(
          "bad-engine-argument",
          "--quantization "
              + quantization.text()
              + " ("
              + quantization.source()
              + ") needs weights that are stored so, and those of "
              + typed.name()
              + " are not quantized: leave it out.");
    }
    return new Weights(typed)
        .quantizedAtLoad(
            Quantization.named(quantization.text())
                .orElseThrow(() ->
                    InputException.invalidArgument(
                        "bad-engine-argument",
                        "--quantization "
                            + quantization.text()
                            + " ("
                            + quantization.source()
                            + ") is unknown; use fp8 or bitsandbytes, or weights that are"
                            + " quantized.")));
  }

  /** Whose kernels read these weights; empty where several may. */
  private static String kernels(String method) {
    String name = method.toLowerCase(Locale.ROOT);
    return Stream.of("awq", "gptq", "mxfp4").filter(name::startsWith).findFirst().orElse("");
  }

  /** Reads values of flags. */
  private record Parser(Map<String, Value> flags) {
    int count(String flag, int otherwise) {
      Integer value = optionalCount(flag);
      return value == null ? otherwise : value;
    }

    @Nullable Integer optionalCount(String flag) {
      Value value = flags.get(flag);
      if (value == null || value.text().equals("None")) {
        return null;
      }
      if (!value.text().matches("[0-9]{1,9}")) {
        throw bad(flag, value, "a whole number");
      }
      return Integer.valueOf(value.text());
    }

    /** A size, or what vLLM shortens to the pool. */
    @Nullable Long length(String flag) {
      Value value = flags.get(flag);
      return value != null && value.text().matches("(?i)auto|-1")
          ? Long.valueOf(VllmSettings.FITTED)
          : size(flag);
    }

    /** A size that is no larger than an int. */
    @Nullable Integer batch(String flag) {
      Long size = size(flag);
      if (size != null && size > Integer.MAX_VALUE) {
        throw bad(flag, Objects.requireNonNull(flags.get(flag)), "a number such as 8192 or 8k");
      }
      return size == null ? null : size.intValue();
    }

    /** A number with a suffix: k is 1,000 and K 1,024 [vLLM, human_readable_int]. */
    @Nullable Long size(String flag) {
      Value value = flags.get(flag);
      if (value == null
          || value.text().equals("auto")
          || value.text().equals("None")
          || value.text().equals("-1")) {
        return null;
      }
      Matcher matcher = SIZE.matcher(value.text());
      if (!matcher.matches()) {
        throw bad(flag, value, "a number such as 8192 or 8k");
      }
      double unit =
          switch (matcher.group(2)) {
            case "k" -> 1e3;
            case "K" -> 1 << 10;
            case "m" -> 1e6;
            case "M" -> 1 << 20;
            case "g" -> 1e9;
            case "G" -> 1 << 30;
            case "t" -> 1e12;
            case "T" -> 0x1p40;
            default -> 1;
          };
      return (long) (Double.parseDouble(matcher.group(1)) * unit);
    }

    @Nullable Double fraction(String flag) {
      Value value = flags.get(flag);
      if (value == null) {
        return null;
      }
      if (!value.text().matches("[0-9]*\\.?[0-9]{1,9}|[0-9]{1,3}\\.")) {
        throw bad(flag, value, "a number from 0.01 to 1");
      }
      return Double.valueOf(value.text());
    }

    boolean truth(String flag) {
      Value value = flags.get(flag);
      return value != null && !value.text().equalsIgnoreCase("false");
    }

    private static InputException bad(String flag, Value value, String expected) {
      return InputException.invalidArgument(
          "bad-engine-argument",
          "--" + flag + " " + value.text() + " (" + value.source() + ") is not " + expected + ".");
    }
  }
}
