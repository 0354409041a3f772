package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Numbers and strings of a GGUF header; counts are checked against the remaining file size. */
final class GgufInput {
  private static final int MAX_KEPT = 4096;

  private final InputStream in;
  private final String name;
  private final SourceLimits limits;
  private final long size;
  private long left;
  private boolean bigEndian;

  GgufInput(InputStream in, long size, String name, SourceLimits limits) {
    this.in = in;
    this.name = name;
    this.limits = limits;
    this.size = size;
    this.left = Math.min(size, limits.metadataBytes());
  }

  String name() {
    return name;
  }

  long size() {
    return size;
  }

  SourceLimits limits() {
    return limits;
  }

  /** A few files are big-endian; their version reads as a large number. */
  void swap() {
    bigEndian = true;
  }

  long unsigned(int bytes) throws IOException {
    take(bytes);
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      int next = in.read();
      if (next < 0) {
        throw bad(name, "it ends within its header");
      }
      value = bigEndian ? (value << 8) | next : value | ((long) next << (8 * i));
    }
    return value;
  }

  /**
   * A count of things of at least {@code bytes} each.
   *
   * @throws InputException where they cannot lie in the rest of the file
   */
  long count(int bytes) throws IOException {
    long count = unsigned(8);
    if (count < 0 || count > left / Math.max(1, bytes)) {
      throw tooMany(count);
    }
    return count;
  }

  private InputException tooMany(long count) {
    return bad(
        name,
        "a count of "
            + Long.toUnsignedString(count)
            + " does not fit its header of at most "
            + Math.min(size, limits.metadataBytes())
            + " bytes");
  }

  /** A string, truncated to {@value #MAX_KEPT} bytes. */
  String text() throws IOException {
    long length = count(1);
    int kept = (int) Math.min(length, MAX_KEPT);
    take(length);
    byte[] bytes = in.readNBytes(kept);
    in.skipNBytes(length - kept);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  void skip(long bytes) throws IOException {
    take(bytes);
    in.skipNBytes(bytes);
  }

  private void take(long bytes) {
    if (bytes < 0 || bytes > left) {
      if (size > limits.metadataBytes()) {
        throw InputException.tooLarge(
            "header-too-large",
            name + ": its header is above " + limits.metadataBytes() + " bytes.");
      }
      throw bad(name, "it ends within its header");
    }
    left -= bytes;
  }

  static InputException bad(String name, String problem) {
    return InputException.malformed(
        "bad-gguf", name + ": " + problem + "; download the file again.");
  }
}
