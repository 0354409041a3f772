package dev.cotenant.admission.kubernetes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.domain.InputException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads optional fields of the API server's objects. */
public final class Json {
  public static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private Json() {}

  public static ObjectNode object() {
    return NODES.objectNode();
  }

  public static ArrayNode array() {
    return NODES.arrayNode();
  }

  /** A missing node for invalid JSON. */
  public static JsonNode parse(String text) {
    try {
      JsonNode node = MAPPER.readTree(text);
      return node == null ? MissingNode.getInstance() : node;
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance();
    }
  }

  /** Null for a missing or empty text. */
  public static @Nullable String text(JsonNode parent, String field) {
    JsonNode node = parent.path(field);
    return node.isTextual() && !node.textValue().isEmpty() ? node.textValue() : null;
  }

  /**
   * A required text.
   *
   * @throws InputException ({@code malformed-object}) without one
   */
  public static String required(JsonNode parent, String field) {
    String text = text(parent, field);
    if (text == null) {
      throw malformed("has no " + field);
    }
    return text;
  }

  public static String textOr(JsonNode parent, String field, String otherwise) {
    String text = text(parent, field);
    return text == null ? otherwise : text;
  }

  /** The members that are texts. */
  public static Map<String, String> texts(JsonNode object) {
    Map<String, String> texts = new HashMap<>();
    object
        .properties()
        .forEach(member -> {
          if (member.getValue().isTextual()) {
            texts.put(member.getKey(), member.getValue().textValue());
          }
        });
    return texts;
  }

  public static InputException malformed(String what) {
    return InputException.malformed(
        "malformed-object", "An object of the API server " + what + ".");
  }
}
