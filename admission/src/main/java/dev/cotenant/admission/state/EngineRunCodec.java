package dev.cotenant.admission.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.EngineRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a container runs a language model, as JSON of the leader state. */
final class EngineRunCodec {
  private EngineRunCodec() {}

  static void write(ObjectNode json, EngineRun run) {
    json.put("namespace", run.namespace())
        .put("kind", run.kind().name())
        .put("engine", run.engine())
        .put("named", run.isNamed());
    if (run.version() != null) {
      json.put("version", run.version());
    }
    if (run.model() != null) {
      json.put("model", run.model());
    }
    if (run.gpuMemory() != null) {
      json.put("gpu_memory_bytes", run.gpuMemory().bytes());
    }
    if (run.gpuShare() != null) {
      json.put("gpu_memory_share", run.gpuShare());
    }
    ObjectNode settings = json.putObject("settings");
    run.settings().forEach(settings::put);
    ArrayNode unread = json.putArray("unread");
    run.unread().forEach(unread::add);
  }

  /**
   * The inverse; null where there is none.
   *
   * @throws IllegalArgumentException for an unknown kind
   */
  static @Nullable EngineRun read(JsonNode json) {
    if (!json.isObject()) {
      return null;
    }
    Map<String, String> settings = new HashMap<>();
    json.path("settings")
        .properties()
        .forEach(entry -> settings.put(entry.getKey(), entry.getValue().asText()));
    List<String> unread = new ArrayList<>();
    json.path("unread").forEach(line -> unread.add(line.asText()));
    return new EngineRun(
        json.path("namespace").asText(),
        EngineRun.Kind.valueOf(json.path("kind").asText()),
        json.path("engine").asText(),
        json.has("version") ? json.path("version").asText() : null,
        json.has("model") ? json.path("model").asText() : null,
        json.path("named").asBoolean(),
        settings,
        unread,
        json.has("gpu_memory_bytes")
            ? MemorySize.ofBytes(json.path("gpu_memory_bytes").asLong())
            : null,
        json.has("gpu_memory_share") ? json.path("gpu_memory_share").asDouble() : null);
  }
}
