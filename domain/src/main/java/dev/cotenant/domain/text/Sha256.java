package dev.cotenant.domain.text;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 in 64 lower-case hexadecimal digits, the identity of immutable content. */
public final class Sha256 {
  private Sha256() {}

  public static String of(byte[] bytes) {
    return HexFormat.of().formatHex(digest().digest(bytes));
  }

  public static String of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** SHA-256 of the digest's input. */
  public static String of(MessageDigest given) {
    return HexFormat.of().formatHex(given.digest());
  }

  /** A digest for content that is read in parts. */
  public static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
