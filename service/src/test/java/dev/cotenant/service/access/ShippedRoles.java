package dev.cotenant.service.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.cotenant.service.RunningService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The ClusterRoles for callers, as they are installed. */
final class ShippedRoles {
  private static final Path MANIFESTS =
      RunningService.root().resolve("deploy/kustomize/base/cotenant.yaml");

  private final Map<String, Set<String>> rights = new HashMap<>();

  ShippedRoles() {
    YAMLMapper yaml = new YAMLMapper();
    try (MappingIterator<JsonNode> objects =
        yaml.readerFor(JsonNode.class).readValues(MANIFESTS.toFile())) {
      while (objects.hasNext()) {
        read(objects.next());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(JsonNode object) {
    if (object.path("kind").asText().equals("ClusterRole")) {
      Set<String> lines = new TreeSet<>();
      for (JsonNode rule : object.path("rules")) {
        for (JsonNode resource : rule.path("resources")) {
          rule.path("verbs").forEach(verb -> lines.add(verb.asText() + " " + resource.asText()));
        }
      }
      rights.put(object.at("/metadata/name").asText(), lines);
    }
  }

  /** What a role allows, {@code verb resource}. */
  Set<String> of(String role) {
    return rights.getOrDefault("cotenant-" + role, Set.of());
  }
}
