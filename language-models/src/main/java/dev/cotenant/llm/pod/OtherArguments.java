package dev.cotenant.llm.pod;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.serving.StatedServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of servers whose weights and KV cache alone follow from them.
 *
 * @param settings what they state
 * @param notes one line for each value that is not counted
 */
public record OtherArguments(StatedServer settings, List<String> notes) {
  public static final String SGLANG = "sglang";
  public static final String TGI = "tgi";
  public static final String LLAMA = "llama.cpp";

  /** Engines that {@link #of} reads. */
  public static final Set<String> ENGINES = Set.of(SGLANG, TGI, LLAMA);

  /** Flags that {@link #of} and {@link #modelAsRun} read, by name with dashes. */
  public static final Set<String> NAMES =
      Set.of(
          "tp",
          "tp-size",
          "tensor-parallel-size",
          "num-shard",
          "mem-fraction-static",
          "cuda-memory-fraction",
          "max-total-tokens",
          "max-batch-total-tokens",
          "kv-cache-dtype",
          "c",
          "ctx-size",
          "n-gpu-layers",
          "gpu-layers",
          "ngl",
          "cache-type-k",
          "ctk",
          "cache-type-v",
          "ctv",
          "dtype",
          "quantization",
          "quantize");

  /** Variables of TGI, named as its arguments. */
  static final List<String> TGI_VARIABLES =
      List.of(
          "MODEL_ID",
          "NUM_SHARD",
          "QUANTIZE",
          "DTYPE",
          "MAX_BATCH_TOTAL_TOKENS",
          "CUDA_MEMORY_FRACTION",
          "KV_CACHE_DTYPE");

  /** Variables of llama.cpp without their prefix, named as its arguments. */
  static final List<String> LLAMA_VARIABLES =
      List.of("MODEL", "HF_REPO", "CTX_SIZE", "N_GPU_LAYERS", "CACHE_TYPE_K", "CACHE_TYPE_V");

  /** Bytes of a cached value [ggml, block sizes of its types]. */
  private static final Map<String, Double> CACHE_BYTES =
      Map.of(
          "f32", 4.0,
          "f16", 2.0,
          "bf16", 2.0,
          "q8_0", 34.0 / 32,
          "q5_1", 24.0 / 32,
          "q5_0", 22.0 / 32,
          "q4_1", 20.0 / 32,
          "q4_0", 18.0 / 32,
          "iq4_nl", 18.0 / 32);

  public OtherArguments {
    notes = List.copyOf(notes);
  }

  /**
   * Of a recognised server.
   *
   * @param engine one of {@link #ENGINES}
   * @throws InputException ({@code bad-engine-argument}) naming the argument
   */
  public static OtherArguments of(String engine, LanguageModel model, Map<String, Value> flags) {
    return new Parser(engine, new NamedFlags(flags), new ArrayList<>()).read(model);
  }

  /**
   * The model as these flags run it.
   *
   * @throws InputException ({@code bad-engine-argument}) for an unknown quantization
   */
  public static LanguageModel modelAsRun(LanguageModel model, Map<String, Value> flags) {
    NamedFlags named = new NamedFlags(flags);
    LanguageModel typed = named.text("dtype").matches("float32|float") ? model.in(4) : model.in(2);
    Value stated = named.first("quantization", "quantize");
    if (stated == null || !typed.quantization().isNone()) {
      return typed;
    }
    String name = stated.text().replaceFirst("^bitsandbytes-", "").replaceFirst("^fp4$", "nf4");
    return new Weights(typed)
        .quantizedAtLoad(
            Quantization.named(name)
                .orElseThrow(() -> bad("quantization", stated, "fp8, awq, gptq or bitsandbytes")));
  }

  private static InputException bad(String name, Value value, String expected) {
    return InputException.invalidArgument(
        "bad-engine-argument",
        name + " " + value.text() + " (" + value.source() + ") is not " + expected + ".");
  }

  private record Parser(String engine, NamedFlags flags, List<String> notes) {
    OtherArguments read(LanguageModel model) {
      StatedServer stated =
          switch (engine) {
            case SGLANG -> sglang(model);
            case TGI -> tgi(model);
            case LLAMA -> llama(model);
            default -> throw new IllegalArgumentException("no arguments of " + engine);
          };
      return new OtherArguments(stated, notes);
    }

    /** Its static share holds weights and KV cache; without it the card decides. */
    private StatedServer sglang(LanguageModel model) {
      Long tokens = whole("max-total-tokens");
      Double share = share("mem-fraction-static");
      return new StatedServer(
          engine, tensor("tp", "tp-size", "tensor-parallel-size"), tokens, share, served(model), 1);
    }

    private StatedServer tgi(LanguageModel model) {
      Long tokens = whole("max-batch-total-tokens");
      Double share = share("cuda-memory-fraction");
      return new StatedServer(
          engine, tensor("num-shard"), tokens, share == null ? 1.0 : share, served(model), 1);
    }

    /** Of both keys and values; 8 bits for every fp8 type. */
    private double served(LanguageModel model) {
      String type = flags.text("kv-cache-dtype");
      return type.startsWith("fp8") ? 1 : model.valueBytes();
    }

    private StatedServer llama(LanguageModel model) {
      Long stated = whole("c", "ctx-size");
      long longest = model.positions().longest();
      if (stated == null) {
        notes.add("its --ctx-size is not stated: " + longest + " tokens, the model's, are assumed");
      }
      long tokens = stated == null || stated == 0 ? longest : stated;
      double bytes = (cacheBytes("cache-type-k", "ctk") + cacheBytes("cache-type-v", "ctv")) / 2;
      return new StatedServer(engine, 1, tokens, null, bytes, offloaded(model));
    }

    private double cacheBytes(String... names) {
      Value type = flags.first(names);
      if (type == null) {
        return 2;
      }
      Double bytes = CACHE_BYTES.get(type.text().toLowerCase(Locale.ROOT));
      if (bytes == null) {
        throw bad(names[0], type, "a type of ggml, such as f16 or q8_0");
      }
      return bytes;
    }

    /** Share of the layers on the GPU; the head counts as one more. */
    private double offloaded(LanguageModel model) {
      Value layers = flags.first("n-gpu-layers", "gpu-layers", "ngl");
      if (layers == null) {
        notes.add("its --n-gpu-layers is not stated: all layers on the GPU are assumed");
        return 1;
      }
      if (layers.text().matches("-1|-2|auto|all")) {
        return 1;
      }
      double all = model.layers().count() + 1.0;
      return Math.min(1, number("n-gpu-layers", layers) / all);
    }

    private int tensor(String... names) {
      Long stated = whole(names);
      return stated == null ? 1 : Math.clamp(stated, 1, 4096);
    }

    private @Nullable Long whole(String... names) {
      Value value = flags.first(names);
      return value == null || value.text().equals("None") ? null : number(names[0], value);
    }

    private static long number(String name, Value value) {
      if (!value.text().matches("[0-9]{1,12}")) {
        throw bad(name, value, "a whole number");
      }
      return Long.parseLong(value.text());
    }

    private @Nullable Double share(String name) {
      Value value = flags.first(name);
      if (value == null) {
        return null;
      }
      if (!value.text().matches("0?\\.[0-9]{1,9}|1(\\.0*)?")
          || Double.parseDouble(value.text()) == 0) {
        throw bad(name, value, "a share above 0 and up to 1");
      }
      return Double.valueOf(value.text());
    }
  }
}
