package dev.cotenant.service.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What clients of one OpenAPI document lose in another: calls, parameters, bodies, answers and
 * properties that are gone or of another type, answers' properties that need no longer be there,
 * and requests' properties and parameters that must be there now.
 */
final class OpenApiChanges {
  private static final String SCHEMAS = "#/components/schemas/";

  private final JsonNode before;
  private final JsonNode after;
  private final List<String> losses = new ArrayList<>();

  private OpenApiChanges(JsonNode before, JsonNode after) {
    this.before = before;
    this.after = after;
  }

  static List<String> losses(JsonNode before, JsonNode after) {
    OpenApiChanges changes = new OpenApiChanges(before, after);
    changes.calls();
    changes.schemas();
    return changes.losses;
  }

  private void calls() {
    for (Map.Entry<String, JsonNode> path : before.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        String call = method.getKey() + " " + path.getKey();
        JsonNode now = after.path("paths").path(path.getKey()).path(method.getKey());
        if (now.isMissingNode()) {
          losses.add(call + " is gone");
          continue;
        }
        if (!now.path("operationId").equals(method.getValue().path("operationId"))) {
          losses.add(call + " has another operationId");
        }
        parameters(call, method.getValue().path("parameters"), now.path("parameters"));
        for (Map.Entry<String, JsonNode> answer :
            method.getValue().path("responses").properties()) {
          JsonNode is = now.path("responses").path(answer.getKey());
          if (is.isMissingNode()) {
            losses.add(call + " no longer answers " + answer.getKey());
          } else {
            content(call + " answers " + answer.getKey(), answer.getValue(), is);
          }
        }
        content(call + " takes", method.getValue().path("requestBody"), now.path("requestBody"));
      }
    }
  }

  private void content(String what, JsonNode before, JsonNode after) {
    for (Map.Entry<String, JsonNode> media : before.path("content").properties()) {
      JsonNode is = after.path("content").path(media.getKey());
      String was = type(media.getValue().path("schema"));
      if (is.isMissingNode()) {
        losses.add(what + " no longer as " + media.getKey());
      } else if (!was.isEmpty() && !type(is.path("schema")).equals(was)) {
        losses.add(
            "%s as %s: is %s and was %s"
                .formatted(what, media.getKey(), type(is.path("schema")), was));
      }
    }
  }

  private void parameters(String call, JsonNode before, JsonNode after) {
    for (JsonNode parameter : before) {
      if (find(after, parameter) == null) {
        losses.add(call + " no longer takes " + parameter.path("name").asText());
      }
    }
    for (JsonNode parameter : after) {
      JsonNode was = find(before, parameter);
      boolean wasRequired = was != null && was.path("required").asBoolean();
      if (parameter.path("required").asBoolean() && !wasRequired) {
        losses.add(call + " now requires " + parameter.path("name").asText());
      }
    }
  }

  private static @Nullable JsonNode find(JsonNode parameters, JsonNode wanted) {
    for (JsonNode parameter : parameters) {
      if (parameter.path("name").equals(wanted.path("name"))
          && parameter.path("in").equals(wanted.path("in"))) {
        return parameter;
      }
    }
    return null;
  }

  private void schemas() {
    Set<String> requested = new HashSet<>();
    before
        .path("paths")
        .forEach(
            path -> path.forEach(operation -> reach(operation.path("requestBody"), requested)));
    for (Map.Entry<String, JsonNode> schema :
        before.path("components").path("schemas").properties()) {
      JsonNode now = after.path("components").path("schemas").path(schema.getKey());
      properties(schema.getKey(), schema.getValue(), now);
      Set<String> was = texts(schema.getValue().path("required"));
      Set<String> is = texts(now.path("required"));
      if (requested.contains(schema.getKey())) {
        is.removeAll(was);
        is.forEach(property -> losses.add(schema.getKey() + " now requires " + property));
      } else {
        was.removeAll(is);
        was.forEach(property -> losses.add(schema.getKey() + " may now be without " + property));
      }
    }
  }

  private void properties(String name, JsonNode schema, JsonNode now) {
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      JsonNode is = now.path("properties").path(property.getKey());
      if (is.isMissingNode()) {
        losses.add(name + "." + property.getKey() + " is gone");
      } else if (!type(is).equals(type(property.getValue()))) {
        losses.add(
            "%s.%s is %s and was %s"
                .formatted(name, property.getKey(), type(is), type(property.getValue())));
      }
    }
  }

  private static String type(JsonNode schema) {
    return schema.path("type").asText()
        + schema.path("format").asText()
        + schema.path("$ref").asText()
        + schema.path("items").path("type").asText()
        + schema.path("items").path("$ref").asText();
  }

  /** The schemas that a part of the former document refers to. */
  private void reach(JsonNode node, Set<String> names) {
    JsonNode reference = node.path("$ref");
    if (reference.asText().startsWith(SCHEMAS)) {
      String name = reference.asText().substring(SCHEMAS.length());
      if (names.add(name)) {
        reach(before.path("components").path("schemas").path(name), names);
      }
    }
    node.forEach(child -> reach(child, names));
  }

  private static Set<String> texts(JsonNode list) {
    Set<String> texts = new HashSet<>();
    list.forEach(item -> texts.add(item.asText()));
    return texts;
  }
}
