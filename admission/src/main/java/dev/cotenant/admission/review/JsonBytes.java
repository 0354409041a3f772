package dev.cotenant.admission.review;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** JSON in UTF-8, written straight into an array. */
final class JsonBytes {
  private static final JsonMapper MAPPER = new JsonMapper();

  /** Serializes trees without setting up a mapper for each. */
  static final SerializerProvider PROVIDER = MAPPER.getSerializerProviderInstance();

  private static final int INITIAL_BYTES = 1024;

  private JsonBytes() {}

  /** What writes one document. */
  @FunctionalInterface
  interface Document {
    void writeTo(JsonGenerator json) throws IOException;
  }

  static byte[] of(Document document) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(INITIAL_BYTES);
    try (JsonGenerator json = MAPPER.createGenerator(bytes)) {
      document.writeTo(json);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to an array cannot fail", e);
    }
    return bytes.toByteArray();
  }
}
