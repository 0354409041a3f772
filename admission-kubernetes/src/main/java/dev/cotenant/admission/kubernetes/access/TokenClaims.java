package dev.cotenant.admission.kubernetes.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.cotenant.admission.kubernetes.api.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;

/**
 * The claims of a token [JWT, RFC 7519]. Unverified: they only serve to reject tokens that no API
 * server would accept, never to authenticate.
 */
final class TokenClaims {
  /** Longer than any token of a service account, whose claims have some hundred bytes. */
  static final int MAX_LENGTH = 16_384;

  /** Clocks differ. */
  private static final Duration LEEWAY = Duration.ofMinutes(1);

  private static final int PARTS = 3;

  private TokenClaims() {}

  /** Why the token cannot be valid; empty where it may be. */
  static Optional<String> flaw(String token, Set<String> audiences, Instant now) {
    if (token.length() > MAX_LENGTH) {
      return Optional.of("it is longer than " + MAX_LENGTH + " characters");
    }
    String[] parts = token.split("\\.", -1);
    if (parts.length != PARTS || parts[2].isEmpty() || !isSigned(part(parts[0]))) {
      return Optional.of("it is not a signed JWT");
    }
    JsonNode claims = part(parts[1]);
    if (!claims.isObject()) {
      return Optional.of("it is not a signed JWT");
    }
    if (hasExpired(claims.path("exp"), now)) {
      return Optional.of("it has expired");
    }
    return isForOthers(claims.path("aud"), audiences)
        ? Optional.of("it has another audience")
        : Optional.empty();
  }

  private static boolean isSigned(JsonNode header) {
    String algorithm = Json.textOr(header, "alg", "none");
    return !algorithm.equalsIgnoreCase("none");
  }

  private static boolean hasExpired(JsonNode expiry, Instant now) {
    return expiry.isNumber() && expiry.doubleValue() < now.minus(LEEWAY).getEpochSecond();
  }

  /** A token without an audience is left to the API server. */
  private static boolean isForOthers(JsonNode audience, Set<String> audiences) {
    if (audience.isTextual()) {
      return !audiences.contains(audience.textValue());
    }
    for (JsonNode name : audience) {
      if (name.isTextual() && audiences.contains(name.textValue())) {
        return false;
      }
    }
    return !audience.isEmpty();
  }

  private static JsonNode part(String base64) {
    try {
      byte[] json = Base64.getUrlDecoder().decode(base64);
      return Json.parse(new String(json, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      return MissingNode.getInstance(); // no base 64
    }
  }
}
