package dev.cotenant.datasets.llm;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.llm.inference.GenerationRun;
import dev.cotenant.llm.inference.GenerationSettings;
import dev.cotenant.llm.inference.TransformersVersion;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Quantization;
import java.util.List;
import java.util.Locale;

/** Rows of generation with plain transformers. */
record GenerationRows(PublishedModels models) {
  private static final long MAX_TOKENS = 1L << 32;

  static final List<String> COLUMNS =
      List.of(
          "model",
          "quantization",
          "prompt_tokens",
          "generated_tokens",
          "gpus",
          "transformers",
          "memory_total_gib");

  GenerationRun run(DataRow row) {
    String stated = row.text("quantization").toLowerCase(Locale.ROOT);
    LanguageModel model = models.require(row);
    if (!stated.equals("bf16")) {
      model =
          model.quantizedAs(
              Quantization.named(stated.replace("-int4", ""))
                  .orElseThrow(() -> row.bad("quantization", "one that is known")));
    }
    return new GenerationRun(
        model,
        stated.equals("fp8"),
        new GenerationSettings(
            TransformersVersion.of(row.text("transformers")),
            row.integer("prompt_tokens", 1, MAX_TOKENS),
            row.integer("generated_tokens", 0, MAX_TOKENS),
            (int) row.integer("gpus", 1, 1024)),
        row.number("memory_total_gib", 0.01, 1e5) * MemorySize.GIB);
  }
}
