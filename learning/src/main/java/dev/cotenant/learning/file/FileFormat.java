package dev.cotenant.learning.file;

import dev.cotenant.learning.file.FileFormatException.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Function;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * A kind of model file: magic (4 ASCII bytes), version (int), payload length (int), payload,
 * SHA-256 of all that precedes it, CRC-32 of all that precedes that (int). Integers are big-endian.
 *
 * <p>The CRC-32 detects damage, the SHA-256 names the file: a virtual machine that has just started
 * takes longer to compute a SHA-256 than to make the model. Signatures are left to the distribution
 * of files; a reader trusts no count in a payload.
 *
 * @param magic four ASCII characters
 * @param version the only one that is read and written
 * @param maxBytes a larger file is refused before it is read
 */
public record FileFormat(String magic, int version, int maxBytes) {
  private static final int HEADER_BYTES = 3 * Integer.BYTES;
  private static final int DIGEST_BYTES = 32;
  private static final int CHECKSUM_BYTES = Integer.BYTES;
  private static final int OVERHEAD_BYTES = HEADER_BYTES + DIGEST_BYTES + CHECKSUM_BYTES;

  /** Writes a payload. */
  @FunctionalInterface
  public interface Content {
    /** Writes all of it. */
    void writeTo(PayloadWriter out) throws IOException;
  }

  /** Whether bytes begin like a file of this kind, of whatever version. */
  public boolean claims(byte[] bytes) {
    byte[] head = magic.getBytes(StandardCharsets.US_ASCII);
    return bytes.length >= HEADER_BYTES
        && Arrays.equals(bytes, 0, head.length, head, 0, head.length);
  }

  /** The whole file; the same content gives the same bytes. */
  public byte[] write(Content content) {
    try {
      ByteArrayOutputStream payload = new ByteArrayOutputStream();
      content.writeTo(new PayloadWriter(payload));
      ByteArrayOutputStream file = new ByteArrayOutputStream();
      PayloadWriter out = new PayloadWriter(file);
      out.writeBytes(magic);
      out.writeInt(version);
      out.writeInt(payload.size());
      payload.writeTo(out);
      out.write(sha256().digest(file.toByteArray()));
      out.writeInt(checksum(file.toByteArray(), file.size()));
      return file.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
  }

  /**
   * Reads a file to its end.
   *
   * @param bytes the whole file
   * @param content may throw {@link IllegalArgumentException} for content that is impossible
   * @throws FileFormatException when it is no undamaged file of this kind and version
   */
  public <T> T read(byte[] bytes, Function<PayloadReader, T> content) {
    requireWhole(bytes);
    PayloadReader in =
        new PayloadReader(
            ByteBuffer.wrap(bytes).slice(HEADER_BYTES, bytes.length - OVERHEAD_BYTES));
    try {
      T model = content.apply(in);
      in.requireEnd();
      return model;
    } catch (BufferUnderflowException e) {
      throw damaged("a count in it is larger than the file", e);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw damaged(String.valueOf(e.getMessage()), e);
    }
  }

  private void requireWhole(byte[] bytes) {
    if (bytes.length > maxBytes) {
      throw new FileFormatException(
          Problem.TOO_LARGE, "is larger than the " + (maxBytes >> 20) + " MiB that it may have");
    }
    if (!claims(bytes)) {
      throw new FileFormatException(Problem.OTHER_KIND, "is a file of another kind");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    int stated = in.getInt(Integer.BYTES);
    if (stated != version) {
      throw new FileFormatException(
          Problem.OTHER_VERSION,
          "has format version " + stated + ", this release reads " + version + "; train it again");
    }
    long expected = (long) in.getInt(2 * Integer.BYTES) + OVERHEAD_BYTES;
    if (bytes.length != expected) {
      throw damaged("it has " + bytes.length + " bytes where " + expected + " were written", null);
    }
    int end = bytes.length - CHECKSUM_BYTES;
    if (checksum(bytes, end) != in.getInt(end)) {
      throw damaged("its checksum does not match", null);
    }
  }

  /** What names a file that {@link #read} accepts: the SHA-256 in it, in hexadecimal digits. */
  public static String nameOf(byte[] bytes) {
    int end = bytes.length - CHECKSUM_BYTES;
    return HexFormat.of().formatHex(bytes, end - DIGEST_BYTES, end);
  }

  private static FileFormatException damaged(String why, @Nullable Exception cause) {
    FileFormatException damaged =
        new FileFormatException(Problem.DAMAGED, "is damaged: " + why + "; copy or train it again");
    damaged.initCause(cause);
    return damaged;
  }

  private static int checksum(byte[] file, int length) {
    CRC32 checksum = new CRC32();
    checksum.update(file, 0, length);
    return (int) checksum.getValue();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
