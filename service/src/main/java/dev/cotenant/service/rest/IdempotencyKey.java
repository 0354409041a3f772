package dev.cotenant.service.rest;

import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The name that a caller gives a request, so that repeating it changes nothing
 * [draft-ietf-httpapi-idempotency-key-header].
 */
public final class IdempotencyKey {
  public static final String HEADER = "Idempotency-Key";

  private static final JsonMapper SORTED =
      JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  private IdempotencyKey() {}

  /**
   * Requires a valid key.
   *
   * @throws InputException ({@code missing-idempotency-key}, {@code bad-idempotency-key})
   */
  public static String of(@Nullable String header) {
    if (header == null || header.isBlank()) {
      throw InputException.invalidArgument(
          "missing-idempotency-key",
          "Send a header 'Idempotency-Key', a new UUID for every reservation and the same when a"
              + " request is repeated.");
    }
    if (!header.matches("[A-Za-z0-9_-]{22,128}")) {
      throw InputException.invalidArgument(
          "bad-idempotency-key",
          "An Idempotency-Key is unguessable: a UUID, or 22 to 128 letters, digits, '-' and '_'.");
    }
    return header;
  }

  /** The same for the same JSON, however its keys are ordered and it is spaced. */
  public static String fingerprint(byte[] json) {
    try {
      Object value = SORTED.readValue(json, Object.class);
      return Sha256.of(SORTED.writeValueAsBytes(value));
    } catch (IOException e) {
      throw InputException.invalidArgument("malformed-json", "The body is not valid JSON.");
    }
  }
}
