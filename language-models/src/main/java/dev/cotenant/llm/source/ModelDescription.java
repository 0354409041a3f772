package dev.cotenant.llm.source;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.StoredWeights;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A model's files as one small JSON document, {@code {"config": …, "weights": …}}: the {@code
 * config.json} of a folder, or under {@code gguf} the shape keys of a GGUF file, and what the
 * headers list. {@code weights} has {@code bytes_by_type}, {@code parameters} and {@code tensors};
 * {@code headers} in its place has the JSON of the safetensors files' headers, one object a file;
 * {@code references} are the names and paths by which containers call the model; {@code notes}
 * lists missing parts of the folder, one line each.
 *
 * @param model as it is predicted
 * @param references by which containers call it
 */
public record ModelDescription(LanguageModel model, List<String> references) {
  /** Of a document: a configuration has tens of kilobytes at most. */
  public static final SourceLimits LIMITS =
      new SourceLimits(1 << 20, 1 << 20, 1 << 20, 1_000_000, 2_000, 32);

  private static final String CODE = "bad-model-description";
  private static final Set<String> FIELDS =
      Set.of("config", "gguf", "weights", "headers", "references", "notes");
  private static final Set<String> WEIGHTS = Set.of("bytes_by_type", "parameters", "tensors");
  private static final int MAX_TYPES = 64;
  private static final int MAX_TEXTS = 16;
  private static final int MAX_TEXT = 512;
  private static final long MAX = 1L << 56;

  public ModelDescription {
    references = List.copyOf(references);
  }

  /**
   * Reads a document.
   *
   * @param name of the model
   * @throws InputException ({@code json-too-large}, {@code not-json}, {@code bad-model-config},
   *     {@code bad-model-description}, {@code bad-safetensors}, {@code too-many-tensors})
   */
  public static ModelDescription read(byte[] document, String name) {
    if (document.length > LIMITS.documentBytes()) {
      throw InputException.tooLarge(
          "json-too-large",
          "the description of "
              + PlainText.of(name)
              + " is larger than "
              + LIMITS.documentBytes()
              + " bytes; send config.json and the summary of the headers alone.");
    }
    return read(Json.read(document, "the description of " + PlainText.of(name), LIMITS), name);
  }

  private static ModelDescription read(JsonFields fields, String name) {
    requireKnown(fields, FIELDS);
    List<String> references = texts(fields, "references");
    Optional<JsonFields> gguf = fields.object("gguf");
    if (gguf.isPresent()) {
      if (fields.has("config") || fields.has("headers") || fields.has("notes")) {
        throw bad(fields, "has gguf and config, headers or notes; a GGUF file has none of them");
      }
      JsonFields weights = fields.object("weights").orElseThrow(() -> bad(fields, "lacks weights"));
      return new ModelDescription(
          GgufDescription.read(gguf.get(), stored(weights), PlainText.of(name)), references);
    }
    JsonFields config =
        fields
            .object("config")
            .orElseThrow(() ->
                bad(fields, "lacks config; put the content of the model's config.json there"));
    LanguageModel bare = ConfigReader.read(config, PlainText.of(name));
    List<String> notes = new ArrayList<>(bare.warnings());
    texts(fields, "notes").forEach(note -> notes.add(PlainText.of(note)));
    return new ModelDescription(
        new LanguageModel(
            bare.name(),
            bare.type(),
            bare.hidden(),
            bare.layers(),
            bare.attention(),
            bare.feedForward(),
            bare.positions(),
            bare.vocabulary(),
            bare.tied(),
            bare.visionParameters(),
            bare.valueBytes(),
            bare.quantization(),
            weights(fields),
            null,
            notes),
        references);
  }

  /** What the headers list, summed by the caller or not. */
  private static @Nullable StoredWeights weights(JsonFields fields) {
    List<JsonFields> headers = fields.objects("headers");
    if (headers.isEmpty()) {
      return fields.object("weights").map(ModelDescription::stored).orElse(null);
    }
    if (fields.has("weights")) {
      throw bad(fields, "has weights and headers; send one of them");
    }
    return headers.stream()
        .map(header -> SafetensorsHeader.of(header, LIMITS))
        .reduce(StoredWeights.NONE, StoredWeights::plus);
  }

  private static StoredWeights stored(JsonFields weights) {
    requireKnown(weights, WEIGHTS);
    JsonFields byType =
        weights.object("bytes_by_type").orElseThrow(() -> bad(weights, "lacks bytes_by_type"));
    if (byType.values().size() > MAX_TYPES) {
      throw bad(byType, "has more than " + MAX_TYPES + " types");
    }
    Map<String, Long> bytes = new TreeMap<>();
    for (String type : byType.values().keySet()) {
      if (!type.matches("[A-Z0-9_]{2,16}")) {
        throw bad(byType, "'" + PlainText.of(type) + "' is not a tensor type, such as BF16");
      }
      byType.whole(type, 0, MAX).ifPresent(amount -> bytes.put(type, amount));
    }
    return new StoredWeights(
        bytes,
        weights.whole("parameters", 0, MAX).orElseThrow(() -> bad(weights, "lacks parameters")),
        weights.whole("tensors", 0, LIMITS.tensors()).map(Math::toIntExact).orElse(0));
  }

  private static List<String> texts(JsonFields fields, String key) {
    List<String> texts = fields.texts(key);
    if (texts.size() > MAX_TEXTS
        || texts.stream().anyMatch(text -> text.isBlank() || text.length() > MAX_TEXT)) {
      throw bad(
          fields,
          key
              + " holds more than "
              + MAX_TEXTS
              + " texts, or one that is empty or above "
              + MAX_TEXT
              + " characters");
    }
    return texts;
  }

  private static void requireKnown(JsonFields fields, Set<String> known) {
    for (String key : fields.values().keySet()) {
      if (!known.contains(key)) {
        throw bad(
            fields,
            "has the unknown field '"
                + PlainText.of(key)
                + "'; known are "
                + String.join(", ", known.stream().sorted().toList()));
      }
    }
  }

  /**
   * The document of a Hugging Face folder, of a repository of its cache, or of a GGUF file; weights
   * are not read.
   *
   * @param references by which containers call the model
   * @throws InputException as {@link ModelReader#read(Path)}, and ({@code bad-model-description})
   *     where there is no {@code config.json}
   */
  public static byte[] of(Path path, List<String> references) {
    return ModelReader.isGguf(path) ? ofGguf(path, references) : ofFolder(path, references);
  }

  private static byte[] ofGguf(Path file, List<String> references) {
    GgufHeader header = GgufReader.header(file, SourceLimits.DEFAULT);
    return document(json -> {
      write(json, "references", references);
      GgufDescription.write(json, header);
      write(json, header.stored());
    });
  }

  /** Writes fields of an object. */
  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  private static byte[] document(Fields fields) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator json = Json.factory(LIMITS).createGenerator(out)) {
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // an array of bytes takes everything
    }
    return out.toByteArray();
  }

  private static byte[] ofFolder(Path path, List<String> references) {
    ModelReader reader = ModelReader.standard();
    LanguageModel model = reader.read(path);
    Path folder =
        Files.isDirectory(path) ? reader.snapshot(path) : path.toAbsolutePath().getParent();
    Path config = folder == null ? path : folder.resolve(ModelReader.CONFIG);
    if (!Files.isRegularFile(config)) {
      throw InputException.malformed(
          CODE,
          ModelFiles.name(path)
              + ": has no config.json beside it; describe a Hugging Face folder or a GGUF file.");
    }
    String text =
        new String(ModelFiles.read(config, LIMITS.documentBytes()), StandardCharsets.UTF_8);
    List<String> known =
        ConfigReader.read(Json.read(text.getBytes(StandardCharsets.UTF_8), "config", LIMITS), "")
            .warnings();
    return document(json -> {
      write(json, "references", references);
      json.writeFieldName("config");
      json.writeRawValue(text);
      StoredWeights stored = model.stored();
      if (stored != null) {
        write(json, stored);
      }
      write(
          json,
          "notes",
          model.warnings().stream()
              .filter(warning -> !known.contains(warning))
              .map(warning -> warning.substring(0, Math.min(MAX_TEXT, warning.length())))
              .toList());
    });
  }

  private static void write(JsonGenerator json, StoredWeights stored) throws IOException {
    json.writeObjectFieldStart("weights");
    json.writeObjectFieldStart("bytes_by_type");
    for (Map.Entry<String, Long> type : stored.bytesByType().entrySet()) {
      json.writeNumberField(type.getKey(), type.getValue());
    }
    json.writeEndObject();
    json.writeNumberField("parameters", stored.parameters());
    json.writeNumberField("tensors", stored.tensors());
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, String field, List<String> texts)
      throws IOException {
    if (!texts.isEmpty()) {
      json.writeArrayFieldStart(field);
      for (String text : texts) {
        json.writeString(text);
      }
      json.writeEndArray();
    }
  }

  private static InputException bad(JsonFields fields, String problem) {
    return InputException.malformed(CODE, fields.place() + ": " + problem + ".");
  }
}
