package dev.cotenant.admission.webhook;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.Supplier;

/** Admission ids of 128 random bits in hexadecimal. */
public final class RandomIds implements Supplier<String> {
  private static final int BYTES = 16;

  private final SecureRandom random = new SecureRandom();

  @Override
  public String get() {
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
