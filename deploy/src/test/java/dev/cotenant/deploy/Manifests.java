package dev.cotenant.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import dev.cotenant.deploy.testing.ChartCopy;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Rendered objects, each as it is written and as its type.
 *
 * @param documents in the order in which they were rendered
 */
record Manifests(List<JsonNode> documents) {
  private static final ObjectMapper YAML =
      new ObjectMapper(
          YAMLFactory.builder()
              .enable(YAMLParser.Feature.PARSE_BOOLEAN_LIKE_WORDS_AS_STRINGS)
              .build());

  Manifests {
    documents = List.copyOf(documents);
  }

  /** Reads documents separated by {@code ---}. */
  static Manifests parse(String yaml) {
    try (MappingIterator<JsonNode> read = YAML.readerFor(JsonNode.class).readValues(yaml)) {
      List<JsonNode> documents = new ArrayList<>();
      read.forEachRemaining(document -> {
        if (document.isObject() && !document.isEmpty()) {
          documents.add(document);
        }
      });
      return new Manifests(documents);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads one document. */
  static JsonNode parseOne(String yaml) {
    try {
      return YAML.readTree(yaml);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What belongs to the release: everything but hooks. */
  Manifests withoutHooks() {
    return new Manifests(documents.stream().filter(object -> hook(object).isEmpty()).toList());
  }

  /** What Helm runs at this moment, such as {@code pre-delete}. */
  Manifests hooks(String moment) {
    return new Manifests(documents.stream().filter(object -> hook(object).equals(moment)).toList());
  }

  static String hook(JsonNode object) {
    return annotation(object, ChartCopy.HOOK);
  }

  static String annotation(JsonNode object, String name) {
    return object.path("metadata").path("annotations").path(name).asText();
  }

  /** All of a kind, as their type, none of whose fields is unknown. */
  <T extends HasMetadata> List<T> all(Class<T> type) {
    return ofKind(HasMetadata.getKind(type)).map(object -> Types.read(object, type)).toList();
  }

  /** The only one of a kind. */
  <T extends HasMetadata> T only(Class<T> type) {
    List<T> all = all(type);
    if (all.size() != 1) {
      throw new AssertionError(all.size() + " of kind " + type.getSimpleName());
    }
    return all.getFirst();
  }

  /** The Deployment of the service. */
  Deployment service() {
    return component(Deployment.class, "service");
  }

  /** The only one of a kind with this label {@code app.kubernetes.io/component}. */
  <T extends HasMetadata> T component(Class<T> type, String component) {
    List<T> all =
        all(type).stream()
            .filter(object ->
                component.equals(
                    object.getMetadata().getLabels().get("app.kubernetes.io/component")))
            .toList();
    if (all.size() != 1) {
      throw new AssertionError(all.size() + " of kind " + type.getSimpleName() + " " + component);
    }
    return all.getFirst();
  }

  /** The only one of a kind with this name. */
  <T extends HasMetadata> T named(Class<T> type, String name) {
    return all(type).stream()
        .filter(object -> object.getMetadata().getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + type.getSimpleName() + " " + name));
  }

  Stream<JsonNode> ofKind(String kind) {
    return documents.stream().filter(object -> object.path("kind").asText().equals(kind));
  }

  /** By kind, namespace and name, which no two objects share. */
  Map<String, JsonNode> byName() {
    Map<String, JsonNode> all = new TreeMap<>();
    for (JsonNode object : documents) {
      JsonNode other = all.put(name(object), object);
      if (other != null) {
        throw new AssertionError(name(object) + " is there twice");
      }
    }
    return all;
  }

  static String nameOnly(JsonNode object) {
    return object.path("metadata").path("name").asText();
  }

  static String name(JsonNode object) {
    JsonNode metadata = object.path("metadata");
    return String.join(
        "/",
        object.path("kind").asText(),
        metadata.path("namespace").asText("-"),
        metadata.path("name").asText());
  }
}
