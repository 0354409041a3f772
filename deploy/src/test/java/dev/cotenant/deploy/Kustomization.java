package dev.cotenant.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * As much of kustomize as this project uses: resources, components, generated config maps (without
 * the hash in their names) and patches that add. Anything else is refused, so that nothing is
 * silently left out.
 */
final class Kustomization {
  private static final List<String> KNOWN =
      List.of("apiVersion", "kind", "resources", "components", "configMapGenerator", "patches");

  private final Path folder;
  private final List<JsonNode> objects;

  private Kustomization(Path folder, List<JsonNode> objects) {
    this.folder = folder;
    this.objects = objects;
  }

  static Manifests build(Path folder) {
    List<JsonNode> objects = new ArrayList<>();
    new Kustomization(folder, objects).read();
    return new Manifests(objects);
  }

  /** A kustomization with a component, which patches its objects. */
  static Manifests build(Path folder, Path component) {
    List<JsonNode> objects = new ArrayList<>(build(folder).documents());
    new Kustomization(component, objects).read();
    return new Manifests(objects);
  }

  private void read() {
    JsonNode file = Manifests.parseOne(Chart.read(folder.resolve("kustomization.yaml")));
    file.fieldNames()
        .forEachRemaining(field -> {
          if (!KNOWN.contains(field)) {
            throw new AssertionError(folder + ": " + field + " is not understood here");
          }
        });
    file.path("resources").forEach(resource -> add(folder.resolve(resource.asText())));
    file.path("components")
        .forEach(
            component -> new Kustomization(folder.resolve(component.asText()), objects).read());
    file.path("configMapGenerator").forEach(generator -> objects.add(configMap(generator)));
    file.path("patches").forEach(this::patch);
  }

  private void add(Path resource) {
    if (Files.isDirectory(resource)) {
      objects.addAll(build(resource.normalize()).documents());
    } else {
      objects.addAll(Manifests.parse(Chart.read(resource)).documents());
    }
  }

  private ObjectNode configMap(JsonNode generator) {
    ObjectNode map = JsonNodeFactory.instance.objectNode();
    map.put("apiVersion", "v1").put("kind", "ConfigMap");
    map.putObject("metadata")
        .put("name", generator.path("name").asText())
        .put("namespace", generator.path("namespace").asText());
    ObjectNode data = map.putObject("data");
    generator
        .path("files")
        .forEach(file -> data.put(file.asText(), Chart.read(folder.resolve(file.asText()))));
    return map;
  }

  private void patch(JsonNode patch) {
    JsonNode target = patch.path("target");
    int patched = 0;
    for (JsonNode object : objects) {
      boolean meant =
          object.path("apiVersion").asText().startsWith(target.path("group").asText() + "/")
              && object.path("kind").asText().matches(target.path("kind").asText(".*"))
              && Manifests.nameOnly(object).equals(target.path("name").asText());
      if (meant) {
        patched++;
        Manifests.parseOne(patch.path("patch").asText())
            .forEach(operation -> add((ObjectNode) object, operation));
      }
    }
    if (patched == 0) {
      throw new AssertionError(folder + ": a patch meets nothing: " + target);
    }
  }

  private static void add(ObjectNode object, JsonNode operation) {
    String path = operation.path("path").asText();
    int last = path.lastIndexOf('/');
    if (!operation.path("op").asText().equals("add")) {
      throw new AssertionError("only add is understood here: " + operation);
    }
    JsonNode parent = object.at(path.substring(0, last));
    if (path.endsWith("/-")) {
      ((ArrayNode) parent).add(operation.path("value"));
    } else {
      ((ObjectNode) parent).set(path.substring(last + 1), operation.path("value"));
    }
  }
}
