package dev.cotenant.admission.kubernetes.testing;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Tokens of the shape that an API server makes; only their claims are read before a review. */
public final class TestTokens {
  private TestTokens() {}

  /** A token of a subject for audience {@code cotenant} without an end. */
  public static String of(String subject) {
    return withClaims("{\"sub\":\"" + subject + "\",\"aud\":[\"cotenant\"]}");
  }

  /** A token with these claims. */
  public static String withClaims(String claims) {
    return withParts("{\"alg\":\"RS256\"}", claims);
  }

  /** A token with this header and these claims. */
  public static String withParts(String header, String claims) {
    return base64(header) + "." + base64(claims) + ".c2ln";
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
