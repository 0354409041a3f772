package dev.cotenant.admission;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Applies JSON patches [RFC 6902] of the three operations that are written here. */
final class PatchedPod {
  private PatchedPod() {}

  static JsonNode of(JsonNode pod, JsonNode patch) {
    JsonNode patched = pod.deepCopy();
    patch.forEach(operation -> apply(patched, operation));
    return patched;
  }

  private static void apply(JsonNode pod, JsonNode operation) {
    JsonPointer pointer = JsonPointer.compile(operation.path("path").asText());
    JsonNode parent = pod.at(pointer.head());
    String last = pointer.last().getMatchingProperty();
    switch (operation.path("op").asText()) {
      case "add" -> add(parent, last, operation.path("value"));
      case "remove" -> {
        if (!(parent instanceof ObjectNode object) || object.remove(last) == null) {
          throw new AssertionError("nothing to remove at " + pointer);
        }
      }
      default -> throw new AssertionError("unexpected operation " + operation);
    }
  }

  private static void add(JsonNode parent, String last, JsonNode value) {
    switch (parent) {
      case ObjectNode object -> object.set(last, value);
      case ArrayNode array when last.equals("-") -> array.add(value);
      default -> throw new AssertionError("cannot add " + last + " to " + parent);
    }
  }
}
