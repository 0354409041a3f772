package dev.cotenant.admission.webhook;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.Supplier;

/** Admission ids of 128 random bits in hexadecimal. */
public final class RandomIds implements Supplier<String> {
  private static final int BYTES = 16;

  /** Drawn at once: a draw costs a lock and a digest, whatever its length. */
  private static final int IDS_A_DRAW = 64;

  private final SecureRandom random = new SecureRandom();
  private final byte[] drawn = new byte[IDS_A_DRAW * BYTES];
  private int next = drawn.length;

  @Override
  public synchronized String get() {
    if (next == drawn.length) {
      random.nextBytes(drawn);
      next = 0;
    }
    String id = HexFormat.of().formatHex(drawn, next, next + BYTES);
    next += BYTES;
    return id;
  }
}
