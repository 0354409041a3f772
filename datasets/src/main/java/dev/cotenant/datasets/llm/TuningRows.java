package dev.cotenant.datasets.llm;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.tuning.TuningMethod;
import dev.cotenant.llm.tuning.TuningPrecision;
import dev.cotenant.llm.tuning.TuningRun;
import dev.cotenant.llm.tuning.TuningSettings;
import dev.cotenant.llm.tuning.TuningStack;
import dev.cotenant.llm.tuning.TuningStates;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Rows of fine-tuning jobs. */
record TuningRows(PublishedModels models) {
  private static final int MAX = 1 << 24;

  /** Rank of the scripts behind the Qwen tables, on every linear layer. */
  private static final int QWEN_RANK = 64;

  static final List<String> PEFT =
      List.of(
          "task",
          "experiment",
          "model",
          "max_seq_length",
          "batch_size",
          "peft_type",
          "r",
          "target_modules",
          "trainable_params",
          "reserved_max_gib",
          "status");

  static final List<String> LITGPT =
      List.of(
          "model",
          "method",
          "lora_r",
          "lora_targets",
          "quantization",
          "seq_tokens",
          "micro_batch",
          "config_devices",
          "fsdp_activation_checkpointing",
          "gpu",
          "trainable_params",
          "exclude",
          "peak_allocated_gb",
          "status");

  static final List<String> QWEN =
      List.of(
          "model",
          "kind",
          "zero_stage_guess",
          "gpus",
          "seq_len",
          "batch",
          "total_memory_gb_as_printed");

  TuningRun peft(DataRow row) {
    if (row.has("resolution")) {
      throw new UnusableRowException("it is of a model of images");
    }
    if (!row.text("status").equals("success")) {
      throw new UnusableRowException("the job did not succeed");
    }
    String type = row.text("peft_type");
    TuningSettings settings =
        new TuningSettings(
            TuningStack.PEFT,
            new TuningMethod(type),
            row.text("experiment").endsWith("-bat") ? "bat" : "",
            row.has("r") ? (int) row.number("r", 0, 1 << 16) : 0,
            List.of(row.textOrEmpty("target_modules").split(";", -1)),
            row.number("trainable_params", 0, 1e15),
            (int) row.integer("batch_size", 1, 1 << 20),
            (int) row.integer("max_seq_length", 1, MAX),
            1,
            0,
            false,
            List.of(),
            TuningPrecision.HALF,
            TuningStates.ADAM);
    return new TuningRun(
        type,
        models.require(row).in(2),
        settings,
        row.number("reserved_max_gib", 0.01, 4096) * MemorySize.GIB,
        Double.POSITIVE_INFINITY);
  }

  TuningRun litgpt(DataRow row) {
    if (row.has("exclude")) {
      throw new UnusableRowException(row.text("exclude"));
    }
    String status = row.oneOf("status", List.of("ok", "oom", "not_supported", "error"));
    if (!status.equals("ok") && !status.equals("oom")) {
      throw new UnusableRowException("the job ended as " + status);
    }
    LanguageModel model = models.require(row);
    String quantization = row.textOrEmpty("quantization");
    if (!quantization.isEmpty()) {
      model =
          model.quantizedAs(
              Quantization.named(quantization)
                  .orElseThrow(() -> row.bad("quantization", "one that is known")));
    }
    return new TuningRun(
        family(row.text("model")),
        model,
        litgptSettings(row),
        status.equals("ok") ? row.number("peak_allocated_gb", 0.01, 4096) * 1e9 : Double.NaN,
        memory(row.text("gpu")));
  }

  private static @Nullable TuningSettings litgptSettings(DataRow row) {
    String method = row.text("method");
    if (method.equals("inference")) {
      return null;
    }
    boolean checkpointing = row.textOrEmpty("fsdp_activation_checkpointing").equals("true");
    int gpus = (int) row.integer("config_devices", 1, 1024);
    boolean adapter = method.startsWith("adapter");
    return new TuningSettings(
        TuningStack.LITGPT,
        new TuningMethod(adapter ? "ADAPTION_PROMPT" : method),
        adapter ? method : "",
        row.has("lora_r") ? (int) row.integer("lora_r", 1, 1 << 16) : 0,
        List.of(row.textOrEmpty("lora_targets").split(";", -1)),
        adapter ? row.number("trainable_params", 1, 1e15) : null,
        (int) row.integer("micro_batch", 1, 1 << 20),
        (int) row.integer("seq_tokens", 1, MAX),
        gpus,
        gpus > 1 ? 3 : 0,
        checkpointing,
        List.of(),
        TuningPrecision.HALF,
        TuningStates.ADAM);
  }

  /** The first word of a model's name, and the generation of a Llama. */
  private static String family(String model) {
    String name = model.substring(model.indexOf('/') + 1).toLowerCase(Locale.ROOT);
    return name.startsWith("llama-")
        ? name.substring(0, "llama-0".length())
        : name.replaceFirst("-.*", "");
  }

  private static double memory(String gpu) {
    String id =
        switch (gpu) {
          case "A10G-24GB" -> "a10g";
          case "A100-SXM4-40GB" -> "a100-40gb";
          default -> throw new UnusableRowException("gpu '" + gpu + "' is unknown");
        };
    return ServingCard.of(DeviceCatalogue.builtIn().require(id)).totalBytes();
  }

  TuningRun qwen(DataRow row) {
    String kind = row.oneOf("kind", List.of("lora", "lora_emb", "qlora", "full"));
    LanguageModel model = models.require(row);
    if (kind.equals("qlora")) {
      model = model.quantizedAs(Quantization.grouped("gptq", 4, 128));
    }
    int gpus = (int) row.integer("gpus", 1, 1024);
    String zero = row.textOrEmpty("zero_stage_guess");
    TuningSettings settings =
        new TuningSettings(
            TuningStack.CHECKPOINTED,
            kind.equals("full") ? TuningMethod.FULL : TuningMethod.LORA,
            "",
            QWEN_RANK,
            List.of("c_attn", "o_proj", "mlp"),
            null,
            (int) row.integer("batch", 1, 1 << 20),
            (int) row.integer("seq_len", 1, MAX),
            gpus,
            zero.equals("zero3") ? 3 : zero.equals("zero2") ? 2 : 0,
            true,
            kind.equals("lora_emb") ? List.of("embed_tokens", "lm_head") : List.of(),
            TuningPrecision.HALF,
            TuningStates.ADAM);
    return new TuningRun(
        row.text("model"),
        model,
        settings,
        row.number("total_memory_gb_as_printed", 0.1, 1e5) * MemorySize.GIB / gpus,
        Double.POSITIVE_INFINITY);
  }
}
