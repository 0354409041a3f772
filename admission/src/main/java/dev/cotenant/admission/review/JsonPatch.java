package dev.cotenant.admission.review;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;

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

  /** Removes an existing member. */
  public record Remove(String pointer) implements Operation {}

  /** The JSON pointer [RFC 6901] of a path of member names, {@code ~} and {@code /} escaped. */
  public static String pointer(String... names) {
    StringBuilder pointer = new StringBuilder();
    for (String name : names) {
      pointer.append('/').append(escaped(name));
    }
    return pointer.toString();
  }

  private static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }

  /** Writes the document that the API server reads. */
  void writeTo(JsonGenerator json) throws IOException {
    json.writeStartArray();
    for (Operation operation : operations) {
      json.writeStartObject();
      switch (operation) {
        case Add(String pointer, JsonNode value) -> write(json, "add", pointer, value);
        case Test(String pointer, JsonNode value) -> write(json, "test", pointer, value);
        case Remove(String pointer) -> write(json, "remove", pointer);
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, String name, String pointer, JsonNode value)
      throws IOException {
    write(json, name, pointer);
    json.writeFieldName("value");
    if (value.isTextual()) {
      json.writeString(value.textValue());
    } else {
      value.serialize(json, JsonBytes.PROVIDER);
    }
  }

  private static void write(JsonGenerator json, String name, String pointer) throws IOException {
    json.writeStringField("op", name);
    json.writeStringField("path", pointer);
  }

  /** The document that the API server reads, in UTF-8. */
  public byte[] toBytes() {
    return JsonBytes.of(this::writeTo);
  }

  public boolean isEmpty() {
    return operations.isEmpty();
  }
}
