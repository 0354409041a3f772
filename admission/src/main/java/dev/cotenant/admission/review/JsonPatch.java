package dev.cotenant.admission.review;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A JSON Patch [RFC 6902] of the three operations that are needed; empty changes nothing. */
public record JsonPatch(List<Operation> operations) {
  public static final JsonPatch NONE = new JsonPatch(List.of());

  public JsonPatch {
    operations = List.copyOf(operations);
  }

  /** One change at a JSON pointer. */
  public sealed interface Operation {
    String pointer();
  }

  /** Adds a member, or replaces it where it is there. */
  public record Add(String pointer, JsonNode value) implements Operation {}

  /** Fails the whole patch where a member is not equal to this. */
  public record Test(String pointer, JsonNode value) implements Operation {}

  /** Removes a member that is there. */
  public record Remove(String pointer) implements Operation {}

  /** The JSON pointer [RFC 6901] of a path of member names, {@code ~} and {@code /} escaped. */
  public static String pointer(String... names) {
    return Stream.of(names)
        .map(name -> "/" + name.replace("~", "~0").replace("/", "~1"))
        .collect(Collectors.joining());
  }

  /** The document that the API server reads. */
  public ArrayNode toJson() {
    ArrayNode document = JsonNodeFactory.instance.arrayNode();
    for (Operation operation : operations) {
      ObjectNode node = document.addObject();
      switch (operation) {
        case Add(String pointer, JsonNode value) ->
            node.put("op", "add").put("path", pointer).set("value", value);
        case Test(String pointer, JsonNode value) ->
            node.put("op", "test").put("path", pointer).set("value", value);
        case Remove(String pointer) -> node.put("op", "remove").put("path", pointer);
      }
    }
    return document;
  }

  public boolean isEmpty() {
    return operations.isEmpty();
  }
}
