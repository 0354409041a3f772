package dev.cotenant.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.llm.pod.Container;
import dev.cotenant.llm.pod.ContainerReader;
import dev.cotenant.llm.pod.ServerGpus;
import dev.cotenant.llm.pod.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Containers of a pod's JSON, as readers of engines take them. */
public final class ContainerJson {
  private ContainerJson() {}

  /** A container; other types than the API's count as absent. */
  private static Container read(JsonNode container) {
    return new Container(
        container.path("image").asText(""),
        texts(container.path("command")),
        texts(container.path("args")),
        environment(container.path("env")),
        unread(container.path("env")),
        !container.path("envFrom").isEmpty());
  }

  /** What a container runs, with a line where that takes more GPUs than it requests. */
  public static Workload workload(ContainerReader reader, JsonNode container) {
    String gpus = container.path("resources").path("limits").path(GpuDialect.WHOLE_GPUS).asText("");
    return ServerGpus.compared(
        reader.read(read(container)), gpus.matches("[0-9]{1,6}") ? Integer.valueOf(gpus) : null);
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(item -> texts.add(item.asText("")));
    return texts;
  }

  private static Set<String> unread(JsonNode list) {
    Set<String> names = new HashSet<>();
    list.forEach(variable -> {
      if (variable.has("valueFrom")) {
        names.add(variable.path("name").asText(""));
      }
    });
    return names;
  }

  private static Map<String, String> environment(JsonNode list) {
    Map<String, String> values = new HashMap<>();
    list.forEach(variable -> {
      if (variable.path("value").isValueNode() && !variable.path("value").isNull()) {
        values.put(variable.path("name").asText(""), variable.path("value").asText(""));
      }
    });
    return values;
  }
}
