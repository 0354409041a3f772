package dev.cotenant.llm.source;

import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.model.Quantization;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads {@code quantization_config}: the only evidence of a quantization besides the header. */
final class QuantizationReader {
  private static final int MAX_BITS = 16;
  private static final int DEFAULT_GROUP = 128;

  private QuantizationReader() {}

  static Quantization read(JsonFields config, List<String> warnings) {
    Optional<JsonFields> found = config.object("quantization_config");
    if (found.isEmpty()) {
      return Quantization.NONE;
    }
    JsonFields stated = found.get();
    String method = stated.text("quant_method").orElse("").toLowerCase(Locale.ROOT);
    return switch (method) {
      case "gptq", "awq" -> grouped(stated, method);
      case "compressed-tensors" -> compressed(stated, warnings);
      case "bitsandbytes" -> bitsAndBytes(stated);
      default ->
          Quantization.named(method)
              .orElseGet(() -> {
                warnings.add(
                    "unknown quantization '"
                        + PlainText.of(method)
                        + "': taken as none, which is larger");
                return Quantization.NONE;
              });
    };
  }

  private static Quantization grouped(JsonFields stated, String method) {
    int bits = stated.firstWhole(1, MAX_BITS, "bits", "w_bit").orElse(4);
    int group =
        stated
            .firstWhole(-1, SourceLimits.MAX_WIDTH, "group_size", "q_group_size")
            .orElse(DEFAULT_GROUP);
    return Quantization.grouped(method, bits, group < 1 ? SourceLimits.MAX_WIDTH : group);
  }

  private static Quantization bitsAndBytes(JsonFields stated) {
    if (stated.truth("load_in_4bit").orElse(false)) {
      return stated.truth("bnb_4bit_use_double_quant").orElse(false)
          ? Quantization.NF4_DOUBLE
          : Quantization.NF4;
    }
    return Quantization.EIGHT_BIT;
  }

  /** The group with the widest weights. */
  private static Quantization compressed(JsonFields stated, List<String> warnings) {
    Quantization widest = Quantization.NONE;
    JsonFields groups = stated.object("config_groups").orElse(null);
    for (String name : groups == null ? List.<String>of() : List.copyOf(groups.values().keySet())) {
      Optional<JsonFields> weights =
          groups == null ? Optional.empty() : groups.object(name).flatMap(g -> g.object("weights"));
      if (weights.isEmpty()) {
        continue;
      }
      int bits = weights.get().firstWhole(1, MAX_BITS, "num_bits").orElse(8);
      int group = weights.get().firstWhole(-1, SourceLimits.MAX_WIDTH, "group_size").orElse(-1);
      Quantization found =
          bits == 8 && group < 1
              ? Quantization.EIGHT_BIT
              : Quantization.grouped(
                  "compressed-tensors", bits, group < 1 ? SourceLimits.MAX_WIDTH : group);
      widest = found.bytesPerWeight() > widest.bytesPerWeight() ? found : widest;
    }
    if (widest.isNone()) {
      warnings.add("its compressed-tensors configuration states no weights: taken as unquantized");
    }
    return widest;
  }
}
