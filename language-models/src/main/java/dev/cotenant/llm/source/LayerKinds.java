package dev.cotenant.llm.source;

import dev.cotenant.llm.model.Layers;
import java.util.List;

/**
 * Sorts layers by kind: from {@code layer_types} where the file has it, else by the architecture's
 * pattern.
 */
record LayerKinds(JsonFields text, Architecture architecture, int count, long longest) {
  Layers layers() {
    int window =
        (int)
            Math.min(
                Integer.MAX_VALUE,
                text.whole("sliding_window", 0, SourceLimits.MAX_POSITIONS)
                    .or(() -> text.whole("attention_chunk_size", 0, SourceLimits.MAX_POSITIONS))
                    .orElse(0L));
    List<String> types = text.texts("layer_types");
    if (!types.isEmpty()) {
      return listed(types, window);
    }
    int interval = text.firstWhole(1, count, "full_attention_interval").orElse(1);
    if (interval > 1) {
      return new Layers(count / interval, 0, count - count / interval, 0);
    }
    if (window == 0 || window >= longest || !text.truth("use_sliding_window").orElse(true)) {
      return new Layers(count, 0, 0, 0);
    }
    int pattern =
        text.firstWhole(1, SourceLimits.MAX_LAYERS, "sliding_window_pattern")
            .orElse(architecture.windowPattern());
    int full = pattern == 0 ? 0 : count / pattern;
    return new Layers(full, count - full, 0, window);
  }

  private Layers listed(List<String> types, int window) {
    int windowed = 0;
    int linear = 0;
    for (String kind : types) {
      switch (kind) {
        case "sliding_attention", "chunked_attention" -> windowed++;
        case "linear_attention", "mamba", "conv", "recurrent" -> linear++;
        default -> {
          // full attention, or a kind that caches as much
        }
      }
    }
    if (types.size() != count) {
      throw text.bad(
          "layer_types", types.size() + " kinds", count + " of them, one for each layer");
    }
    return new Layers(count - windowed - linear, windowed, linear, windowed > 0 ? window : 0);
  }
}
