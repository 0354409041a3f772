package dev.cotenant.datasets.llm;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.ServingRun;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import java.util.List;
import java.util.Locale;

/** Rows of starts of vLLM. */
record ServingRows(PublishedModels models) {
  private static final double MAX_GIB = 1 << 12;

  static final List<String> COLUMNS =
      List.of(
          "family",
          "model",
          "status",
          "vllm_version",
          "gpu",
          "gpu_total_gib",
          "tensor_parallel",
          "pipeline_parallel",
          "max_model_len",
          "dtype",
          "quantization",
          "kv_cache_dtype",
          "gpu_memory_utilization",
          "max_num_batched_tokens",
          "max_num_seqs",
          "enforce_eager",
          "init_cuda_gib",
          "weights_gib",
          "activation_peak_gib",
          "non_torch_increase_gib",
          "cuda_graph_estimated_gib",
          "cuda_graph_actual_gib",
          "kv_cache_gib",
          "kv_cache_tokens",
          "planner_weights_gib",
          "planner_activation_gib",
          "planner_kv_cache_gib",
          "planner_kv_tokens");

  ServingRun run(DataRow row) {
    if (!row.text("status").equals("ok")) {
      throw new UnusableRowException("the server did not start");
    }
    return new ServingRun(
        row.place(),
        row.text("family"),
        asRun(models.require(row), row),
        settings(row),
        new ServingCard(card(row.text("gpu")), gib(row, "gpu_total_gib")),
        new ServingRun.Measured(
            gib(row, "init_cuda_gib"),
            gib(row, "weights_gib"),
            gib(row, "activation_peak_gib"),
            gib(row, "non_torch_increase_gib"),
            gib(row, "cuda_graph_actual_gib"),
            gibOrNaN(row, "cuda_graph_estimated_gib"),
            gib(row, "kv_cache_gib"),
            row.number("kv_cache_tokens", 1, 1e15)),
        new ServingRun.Planner(
            gibOrNaN(row, "planner_weights_gib"),
            gibOrNaN(row, "planner_activation_gib"),
            gibOrNaN(row, "planner_kv_cache_gib"),
            row.has("planner_kv_tokens") ? row.number("planner_kv_tokens", 0, 1e15) : Double.NaN));
  }

  /** The catalogue's name of a card. */
  private static String card(String gpu) {
    String name = gpu.toLowerCase(Locale.ROOT);
    return name.startsWith("h100-80gb") ? "h100-80gb" : name;
  }

  private static LanguageModel asRun(LanguageModel model, DataRow row) {
    LanguageModel typed = model.in(row.textOrEmpty("dtype").equals("float32") ? 4 : 2);
    String requested = row.textOrEmpty("quantization");
    if (requested.isEmpty() || !typed.quantization().isNone()) {
      return typed;
    }
    return typed.quantizedAs(
        Quantization.named(requested)
            .orElseThrow(() -> row.bad("quantization", "a quantization that is known")));
  }

  private static VllmSettings settings(DataRow row) {
    return new VllmSettings(
        VllmVersion.of(row.text("vllm_version")),
        (int) row.integer("tensor_parallel", 1, 1024),
        (int) row.integer("pipeline_parallel", 1, 1024),
        row.integer("max_model_len", 1, 1L << 32),
        row.number("gpu_memory_utilization", 0.01, 1),
        null,
        (int) row.integer("max_num_seqs", 1, 1 << 24),
        (int) row.integer("max_num_batched_tokens", 1, 1 << 24),
        row.textOrEmpty("kv_cache_dtype").startsWith("fp8") ? 1 : null,
        row.textOrEmpty("enforce_eager").equalsIgnoreCase("true"),
        null);
  }

  private static double gib(DataRow row, String column) {
    return row.number(column, 0, MAX_GIB) * MemorySize.GIB;
  }

  private static double gibOrNaN(DataRow row, String column) {
    return row.has(column) ? gib(row, column) : Double.NaN;
  }
}
