package dev.cotenant.predictor.correct;

import dev.cotenant.domain.InputException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Corrections as files: lines of text, the first of which names format and version and the last the
 * SHA-256 of all before it.
 */
public final class CorrectionFile {
  static final String FORMAT = "cotenant-correction";

  /**
   * The newest format; the second tells of hosts, and is written where there is something to tell.
   */
  static final int VERSION = 2;

  static final int WITHOUT_HOSTS = 1;

  /** Larger than ten thousand models and a thousand trees. */
  public static final int MAX_BYTES = 8 << 20;

  private static final String CHECKSUM = "sha256 ";
  private static final int LABEL_DIGITS = 12;

  private CorrectionFile() {}

  /** Whether bytes claim to be a correction, of whatever version. */
  public static boolean isOne(byte[] bytes) {
    byte[] head = (FORMAT + " ").getBytes(StandardCharsets.US_ASCII);
    return bytes.length >= head.length
        && java.util.Arrays.equals(bytes, 0, head.length, head, 0, head.length);
  }

  /**
   * What a correction in this file is called: {@code corrected-1-}, by its format, and 12 digits of
   * its hash.
   */
  public static String label(byte[] bytes) {
    String first = firstLine(new String(bytes, StandardCharsets.UTF_8));
    return "corrected-" + first + "-" + sha256(bytes).substring(0, LABEL_DIGITS);
  }

  /** What the first line says behind the format's name. */
  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("").substring(FORMAT.length() + 1);
  }

  /** The file of a correction; the same correction gives the same bytes. */
  public static byte[] write(Correction correction) {
    String body = new CorrectionWriter(correction).text();
    String text = body + CHECKSUM + sha256(body.getBytes(StandardCharsets.UTF_8)) + "\n";
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads a file.
   *
   * @param name what to call it in messages
   * @throws InputException ({@code not-a-correction}, {@code newer-correction}, {@code
   *     damaged-correction}, {@code correction-too-large})
   */
  public static Correction read(byte[] bytes, String name) {
    if (bytes.length > MAX_BYTES) {
      throw InputException.tooLarge(
          "correction-too-large", name + ": is larger than " + MAX_BYTES + " bytes.");
    }
    if (!isOne(bytes)) {
      throw InputException.malformed(
          "not-a-correction", name + ": is no correction that a training wrote.");
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    requireVersion(text, name);
    return parse(requireWhole(text, name), name);
  }

  private static void requireVersion(String text, String name) {
    String version = firstLine(text);
    if (!version.matches("[0-9]{1,6}")) {
      throw damaged(name, "its first line names no version", null);
    }
    if (Integer.parseInt(version) > VERSION) {
      throw InputException.malformed(
          "newer-correction",
          name
              + ": was written by a newer Cotenant (format "
              + version
              + ", this one reads up to "
              + VERSION
              + "): upgrade, or train again here.");
    }
  }

  private static String requireWhole(String text, String name) {
    int end = text.lastIndexOf(CHECKSUM);
    if (end < 0) {
      throw damaged(name, "its checksum is missing", null);
    }
    String body = text.substring(0, end);
    String stated = text.substring(end + CHECKSUM.length());
    if (!stated.equals(sha256(body.getBytes(StandardCharsets.UTF_8)) + "\n")) {
      throw damaged(name, "its content does not fit its checksum", null);
    }
    return body;
  }

  private static Correction parse(String body, String name) {
    try {
      return new CorrectionReader(body).read();
    } catch (IllegalArgumentException | java.time.DateTimeException e) {
      throw damaged(name, String.valueOf(e.getMessage()), e);
    }
  }

  private static InputException damaged(
      String name, String why, @org.jspecify.annotations.Nullable Throwable cause) {
    String message = name + ": is damaged: " + why + ".";
    return cause == null
        ? InputException.malformed("damaged-correction", message)
        : new InputException(InputException.Kind.MALFORMED, "damaged-correction", message, cause);
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
