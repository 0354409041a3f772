package dev.cotenant.llm.pod;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.tuning.TuningMethod;
import dev.cotenant.llm.tuning.TuningOptimizer;
import dev.cotenant.llm.tuning.TuningPrecision;
import dev.cotenant.llm.tuning.TuningSettings;
import dev.cotenant.llm.tuning.TuningStack;
import dev.cotenant.llm.tuning.TuningStates;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of a training script of transformers as settings.
 *
 * @param settings what decides about memory
 * @param quantization of the base model; null for none
 * @param assumed one line for each value that no argument states
 */
public record TrainingArguments(
    TuningSettings settings, @Nullable Quantization quantization, List<String> assumed) {
  /** Flags that {@link #of} reads, by name with dashes. */
  public static final Set<String> NAMES =
      Set.of(
          "use-peft",
          "use-lora",
          "lora-r",
          "lora-rank",
          "model.lora-rank",
          "adapter",
          "finetuning-type",
          "lora-target-modules",
          "lora-target",
          "target-modules",
          "model.lora-attn-modules",
          "lora-target-linear",
          "lora-modules-to-save",
          "modules-to-save",
          "additional-target",
          "load-in-4bit",
          "load-in-8bit",
          "quantization-bit",
          "gradient-checkpointing",
          "activation-checkpointing",
          "enable-activation-checkpointing",
          "per-device-train-batch-size",
          "train-micro-batch-size-per-gpu",
          "micro-batch-size",
          "batch-size",
          "max-length",
          "max-seq-length",
          "model-max-length",
          "cutoff-len",
          "sequence-len",
          "tokenizer.max-seq-len",
          "nnodes",
          "num-nodes",
          "bf16",
          "fp16",
          "bf16.enabled",
          "fp16.enabled",
          "mixed-precision",
          "torch-dtype",
          "dtype",
          "model-dtype",
          "deepspeed",
          "fsdp",
          "use-fsdp",
          "use-deepspeed",
          "distributed-type",
          "fsdp-version",
          "fsdp-config.fsdp-version",
          "fsdp-sharding-strategy",
          "fsdp-config.fsdp-sharding-strategy",
          "fsdp-reshard-after-forward",
          "fsdp-config.fsdp-reshard-after-forward",
          "fsdp-offload-params",
          "fsdp-config.fsdp-offload-params",
          "zero-optimization.stage",
          "zero-stage",
          "deepspeed-config.zero-stage",
          "optim",
          "optimizer",
          "optimizer.type",
          "zero-optimization.offload-optimizer.device",
          "offload-optimizer-device",
          "deepspeed-config.offload-optimizer-device",
          "zero-optimization.offload-param.device",
          "offload-param-device",
          "deepspeed-config.offload-param-device");

  private static final String[] TARGETS = {
    "lora-target-modules", "lora-target", "target-modules", "model.lora-attn-modules"
  };
  private static final String[] RANK = {"lora-r", "lora-rank", "model.lora-rank"};

  /** Modules that are trained whole beside adapters: in PEFT, TRL and LLaMA-Factory. */
  private static final String[] WHOLE = {
    "lora-modules-to-save", "modules-to-save", "additional-target"
  };

  /** Libraries that load weights in the type of mixed precision. */
  private static final Set<String> LOADS_HALF = Set.of("axolotl", "llamafactory-cli", "tune");

  private static final int DEFAULT_BATCH = 8;
  private static final int DEFAULT_LENGTH = 1024;
  private static final int DEFAULT_RANK = 16;

  public TrainingArguments {
    assumed = List.copyOf(assumed);
  }

  /**
   * Of a recognised job that may go on with an adapter.
   *
   * @param adapter beside the model, whose rank and targets count where no argument states any;
   *     null for none
   * @throws InputException ({@code bad-tuning-argument}) naming the argument
   */
  public static TrainingArguments of(
      Workload.Training job, LanguageModel.@Nullable Adapter adapter) {
    return new Parser(job, new NamedFlags(job.flags()), adapter, new ArrayList<>()).read();
  }

  /** The base model as the job loads it. */
  public LanguageModel modelAsRun(LanguageModel model) {
    LanguageModel typed = model.in(settings.precision().valueBytes(settings.method().isFull()));
    return quantization == null || !typed.quantization().isNone()
        ? typed
        : new Weights(typed).quantizedAtLoad(quantization);
  }

  private record Parser(
      Workload.Training job,
      NamedFlags flags,
      LanguageModel.@Nullable Adapter adapter,
      List<String> assumed) {
    TrainingArguments read() {
      boolean lora =
          flags.isTrue("use-peft")
              || flags.isTrue("use-lora")
              || flags.first(RANK) != null
              || flags.text("finetuning-type").equals("lora")
              || flags.text("adapter").matches("q?lora")
              || flags.first(TARGETS) != null;
      boolean fourBits =
          flags.isTrue("load-in-4bit")
              || flags.text("quantization-bit").equals("4")
              || flags.text("adapter").equals("qlora");
      boolean eightBits =
          flags.isTrue("load-in-8bit") || flags.text("quantization-bit").equals("8");
      boolean adapters = lora || fourBits || eightBits;
      if (!adapters) {
        assumed.add("no argument names an adapter: every parameter is trained");
      }
      boolean checkpointing =
          flags.isTrue("gradient-checkpointing")
              || flags.isTrue("activation-checkpointing")
              || flags.isTrue("enable-activation-checkpointing");
      int batch =
          whole(
              DEFAULT_BATCH,
              "per-device-train-batch-size",
              "train-micro-batch-size-per-gpu",
              "micro-batch-size",
              "batch-size");
      int length =
          whole(
              DEFAULT_LENGTH,
              "max-length",
              "max-seq-length",
              "model-max-length",
              "cutoff-len",
              "sequence-len",
              "tokenizer.max-seq-len");
      int gpus = processes();
      Sharding sharding = Sharding.of(flags, job.launcher().equals("deepspeed"));
      if (sharding.isDeepSpeed() && !sharding.isStated()) {
        assumed.add("the stage of ZeRO is not stated: none is assumed");
      }
      TuningSettings settings =
          new TuningSettings(
              checkpointing ? TuningStack.CHECKPOINTED : TuningStack.PEFT,
              adapters ? TuningMethod.LORA : TuningMethod.FULL,
              "",
              adapters ? rank() : 0,
              adapters ? targets() : List.of(),
              null,
              batch,
              length,
              gpus,
              sharding.stage(),
              checkpointing,
              adapters ? names(flags.first(WHOLE)) : List.of(),
              precision(!adapters, fourBits || eightBits, sharding.isDeepSpeed()),
              new TuningStates(
                  optimizer(), sharding.offloadsMoments(), sharding.offloadsWeights()));
      return new TrainingArguments(
          settings,
          fourBits ? Quantization.NF4 : eightBits ? Quantization.EIGHT_BIT : null,
          assumed);
    }

    private int rank() {
      return adapter != null && flags.first(RANK) == null
          ? adapter.rank()
          : whole(DEFAULT_RANK, RANK);
    }

    private List<String> targets() {
      Value stated = flags.first(TARGETS);
      if (flags.isTrue("lora-target-linear")) {
        return List.of("all-linear");
      }
      if (stated == null && adapter != null) {
        return adapter.targets();
      }
      if (stated == null) {
        assumed.add("lora_target_modules is not stated: q_proj and v_proj are assumed");
        return List.of("q_proj", "v_proj");
      }
      return names(stated).stream().map(name -> name.equals("all") ? "all-linear" : name).toList();
    }

    private static List<String> names(@Nullable Value list) {
      return list == null || list.text().equals("None")
          ? List.of()
          : Stream.of(list.text().replaceAll("[\\[\\]\"']", "").split("[,; ]+"))
              .filter(name -> !name.isEmpty())
              .toList();
    }

    /** Of the type that weights are loaded in, and of mixed precision. */
    private TuningPrecision precision(boolean full, boolean quantized, boolean deepSpeed) {
      boolean mixed =
          flags.isTrue("bf16")
              || flags.isTrue("fp16")
              || flags.isTrue("bf16.enabled")
              || flags.isTrue("fp16.enabled")
              || flags.text("bf16").equals("auto")
              || flags.text("mixed-precision").matches("bf16|fp16");
      Value type = flags.first("torch-dtype", "dtype", "model-dtype");
      String stated = type == null ? "" : type.text();
      if (mixed && deepSpeed) {
        return full ? TuningPrecision.MIXED : TuningPrecision.HALF; // casts the weights itself
      }
      if (mixed && type == null && LOADS_HALF.contains(job.launcher())) {
        return full ? TuningPrecision.MIXED : TuningPrecision.HALF;
      }
      if (quantized || stated.matches("(torch\\.)?(bfloat16|float16|half|bf16|fp16)")) {
        return TuningPrecision.HALF;
      }
      if (!stated.matches("(torch\\.)?(float32|float|fp32)")) {
        assumed.add("torch_dtype is not stated: weights in fp32 are assumed");
      }
      return mixed ? TuningPrecision.MIXED : TuningPrecision.SINGLE;
    }

    /**
     * Number of processes on all nodes; accelerate states the total, other launchers the number per
     * node.
     */
    private int processes() {
      Value stated = job.gpus();
      Value nodes = flags.first("nnodes", "num-nodes");
      int ofNode = stated == null ? 1 : count("processes", stated);
      return nodes == null || job.launcher().equals("accelerate")
          ? ofNode
          : ofNode * count("nodes", nodes);
    }

    private int count(String what, Value stated) {
      if (stated.text().matches("[0-9]{1,4}")) {
        return Math.max(1, Integer.parseInt(stated.text()));
      }
      assumed.add("the number of " + what + " is '" + stated.text() + "': 1 is assumed");
      return 1;
    }

    /** Adam where none is stated, or one that is not known. */
    private TuningOptimizer optimizer() {
      Value stated = flags.first("optim", "optimizer", "optimizer.type");
      if (stated == null) {
        return TuningOptimizer.ADAM;
      }
      TuningOptimizer known = TuningOptimizer.of(stated.text());
      if (known == null) {
        assumed.add("the states of optimizer '" + stated.text() + "' are not known: Adam's count");
        return TuningOptimizer.ADAM;
      }
      return known;
    }

    private int whole(int otherwise, String... names) {
      Value value = flags.first(names);
      if (value == null || value.text().equals("auto")) {
        assumed.add(names[0].replace('-', '_') + " is not stated: " + otherwise + " is assumed");
        return otherwise;
      }
      return number(names[0].replace('-', '_'), value);
    }
  }

  /**
   * A whole number.
   *
   * @param what it is, for people
   * @throws InputException ({@code bad-tuning-argument})
   */
  static int number(String what, Value value) {
    if (!value.text().matches("[0-9]{1,9}")) {
      throw InputException.invalidArgument(
          "bad-tuning-argument",
          what
              + " is '"
              + value.text()
              + "' ("
              + value.source()
              + "), which is not a whole number.");
    }
    return Integer.parseInt(value.text());
  }
}
