package dev.cotenant.admission.kubernetes.inmemory;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Applies JSON patches as the API server does: any operation that does not fit fails them all. */
public final class JsonPatches {
  private JsonPatches() {}

  /** The patch does not fit. */
  public static final class DoesNotApply extends Exception {
    private static final long serialVersionUID = 1;

    DoesNotApply(String message) {
      super(message);
    }
  }

  public static ObjectNode apply(JsonNode patch, ObjectNode before) throws DoesNotApply {
    ObjectNode object = before.deepCopy();
    for (JsonNode operation : patch) {
      change(operation, object);
    }
    return object;
  }

  private static void change(JsonNode operation, ObjectNode object) throws DoesNotApply {
    String path = operation.path("path").asText();
    JsonPointer pointer = JsonPointer.compile(path);
    switch (operation.path("op").asText()) {
      case "test" -> {
        if (!object.at(pointer).equals(operation.path("value"))) {
          throw new DoesNotApply("testing value " + path + " failed: test failed");
        }
      }
      case "add" -> add(object.at(pointer.head()), pointer.last(), operation.path("value"));
      case "remove" -> remove(object.at(pointer.head()), pointer.last());
      default -> throw new DoesNotApply("unexpected kind: " + operation);
    }
  }

  private static void add(JsonNode parent, JsonPointer last, JsonNode value) throws DoesNotApply {
    if (parent instanceof ObjectNode object) {
      object.set(last.getMatchingProperty(), value.deepCopy());
    } else if (parent instanceof ArrayNode array && last.getMatchingProperty().equals("-")) {
      array.add(value.deepCopy());
    } else if (parent instanceof ArrayNode array && last.getMatchingIndex() <= array.size()) {
      array.insert(last.getMatchingIndex(), value.deepCopy());
    } else {
      throw new DoesNotApply("add operation does not apply: doc is missing path: " + last);
    }
  }

  private static void remove(JsonNode parent, JsonPointer last) throws DoesNotApply {
    if (parent instanceof ObjectNode object && object.has(last.getMatchingProperty())) {
      object.remove(last.getMatchingProperty());
    } else if (parent instanceof ArrayNode array && array.has(last.getMatchingIndex())) {
      array.remove(last.getMatchingIndex());
    } else {
      throw new DoesNotApply("remove operation does not apply: doc is missing path: " + last);
    }
  }

  /** Applies a merge patch [RFC 7396] to a copy. */
  static ObjectNode merge(JsonNode patch, ObjectNode before) {
    ObjectNode after = before.deepCopy();
    patch
        .properties()
        .forEach(member -> {
          JsonNode value = member.getValue();
          if (value.isNull()) {
            after.remove(member.getKey());
          } else if (value.isObject()) {
            after.set(member.getKey(), merge(value, after.withObject("/" + member.getKey())));
          } else {
            after.set(member.getKey(), value);
          }
        });
    return after;
  }
}
