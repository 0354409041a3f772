package dev.cotenant.llm;

import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.StoredWeights;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.VllmSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What is missing or was not measured, one line each. */
final class ModelNotes {
  private ModelNotes() {}

  /** About a model's files; a list to add to. */
  static List<String> warnings(LanguageModel model) {
    List<String> warnings = new ArrayList<>(model.warnings());
    new Weights(model).contradiction().ifPresent(warnings::add);
    if (model.quantization().isNone()
        && model.stored() == null
        && model
            .name()
            .toLowerCase(Locale.ROOT)
            .matches(".*(awq|gptq|fp8|int4|int8|w4a16|w8a8|bnb).*")) {
      warnings.add("its name suggests a quantization that its files do not state: taken as none");
    }
    if (model.quantization().isNone() && holdsEightBits(model.stored())) {
      warnings.add(
          "its headers hold weights in 8 bits, its configuration states no quantization: counted in"
              + " the type in which they run");
    }
    return warnings;
  }

  private static boolean holdsEightBits(@Nullable StoredWeights stored) {
    return stored != null
        && stored.bytesByType().entrySet().stream()
            .anyMatch(of -> of.getKey().matches("F8_E[45]M[23]|I8") && of.getValue() > 0);
  }

  /** What of a server was not measured, each a few words. */
  static List<String> unmeasured(LanguageModel model, VllmSettings settings, ServingCard card) {
    List<String> outside = new ArrayList<>();
    if (!settings.version().isMeasured()) {
      outside.add("vLLM " + settings.version());
    }
    if (!card.isMeasured()) {
      outside.add(card.name());
    }
    if (settings.pipeline() > 2) {
      outside.add(settings.pipeline() + " stages of a pipeline");
    }
    if (settings.tensor() > 4) {
      outside.add(settings.tensor() + " GPUs that divide matrices");
    }
    if (model.quantization().coversAll()) {
      outside.add("GGUF weights");
    }
    if (!outside.isEmpty()) {
      outside.add("(measured: vLLM 0.17 to 0.19, h100-80gb)");
    }
    return outside;
  }
}
