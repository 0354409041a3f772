package dev.cotenant.engine.lifecycle;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 in 64 lower-case hexadecimal digits, the identity of whatever is immutable. */
public final class Sha256 {
  private Sha256() {}

  public static String of(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  public static String of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }
}
