package dev.cotenant.llm.startup;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Lines of a log of any size in a bounded buffer, without what a terminal would interpret. */
final class LogLines {
  private static final int MAX_LINE_BYTES = 16 << 10;

  /** Colours and other sequences of ECMA-48. */
  private static final Pattern SEQUENCE = Pattern.compile("\u001b\\[[0-?]{0,32}[ -/]{0,4}[@-~]");

  private final InputStream in;

  LogLines(InputStream in) {
    this.in = in instanceof BufferedInputStream ? in : new BufferedInputStream(in, 1 << 16);
  }

  /** The next line, up to LF or CR LF, or what a longer one begins with; null at the end. */
  @Nullable String next() throws IOException {
    byte[] kept = new byte[MAX_LINE_BYTES];
    int length = 0;
    int next = in.read();
    if (next < 0) {
      return null;
    }
    while (next >= 0 && next != '\n') {
      if (length < MAX_LINE_BYTES) {
        kept[length++] = (byte) next;
      }
      next = in.read();
    }
    if (length > 0 && kept[length - 1] == '\r') {
      length--;
    }
    String line = new String(kept, 0, length, StandardCharsets.UTF_8);
    return line.indexOf('\u001b') < 0 ? line : SEQUENCE.matcher(line).replaceAll("");
  }
}
