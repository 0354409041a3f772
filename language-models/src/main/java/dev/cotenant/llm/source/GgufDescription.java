package dev.cotenant.llm.source;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.StoredWeights;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a GGUF file as JSON: {@code values} are the whole numbers of its architecture's keys
 * and {@code general.architecture}, {@code lengths} those of arrays, {@code head} whether its head
 * is a tensor of its own.
 */
final class GgufDescription {
  private static final String ARCHITECTURE = "general.architecture";
  private static final String TOKENS = "tokenizer.ggml.tokens";
  private static final String SPLIT = "split.count";
  private static final Set<String> FIELDS = Set.of("values", "lengths", "head");

  private GgufDescription() {}

  static void write(JsonGenerator json, GgufHeader header) throws IOException {
    String prefix = header.values().get(ARCHITECTURE) + ".";
    json.writeObjectFieldStart("gguf");
    json.writeObjectFieldStart("values");
    for (Map.Entry<String, Object> value : new TreeMap<>(header.values()).entrySet()) {
      String key = value.getKey();
      if (key.equals(ARCHITECTURE)) {
        json.writeStringField(key, String.valueOf(value.getValue()));
      } else if (value.getValue() instanceof Long number
          && (key.startsWith(prefix) || key.equals(SPLIT))) {
        json.writeNumberField(key, number);
      }
    }
    json.writeEndObject();
    json.writeObjectFieldStart("lengths");
    for (Map.Entry<String, Long> length : new TreeMap<>(header.arrays()).entrySet()) {
      if (length.getKey().startsWith(prefix) || length.getKey().equals(TOKENS)) {
        json.writeNumberField(length.getKey(), length.getValue());
      }
    }
    json.writeEndObject();
    json.writeBooleanField("head", header.hasHead());
    json.writeEndObject();
  }

  /**
   * The model in a stored GGUF description.
   *
   * @throws InputException ({@code bad-gguf}, {@code bad-model-config})
   */
  static LanguageModel read(JsonFields gguf, StoredWeights stored, String name) {
    for (String field : gguf.values().keySet()) {
      if (!FIELDS.contains(field)) {
        throw GgufInput.bad(gguf.place(), "it has the unknown field '" + PlainText.of(field) + "'");
      }
    }
    Map<String, Object> values = new HashMap<>();
    Map<String, Long> lengths = new HashMap<>();
    gguf.object("values").ifPresent(object -> fill(object, values));
    gguf.object("lengths")
        .ifPresent(object ->
            object
                .values()
                .keySet()
                .forEach(key ->
                    object
                        .whole(key, 0, Integer.MAX_VALUE)
                        .ifPresent(length -> lengths.put(key, length))));
    boolean head = gguf.truth("head").orElse(true);
    return GgufReader.model(new GgufHeader(values, lengths, stored, head), name);
  }

  private static void fill(JsonFields object, Map<String, Object> values) {
    for (Map.Entry<String, @Nullable Object> value : object.values().entrySet()) {
      if (value.getValue() instanceof Long || value.getValue() instanceof String) {
        values.put(value.getKey(), value.getValue());
      } else {
        throw GgufInput.bad(
            object.place(), PlainText.of(value.getKey()) + " is neither a whole number nor a text");
      }
    }
  }
}
