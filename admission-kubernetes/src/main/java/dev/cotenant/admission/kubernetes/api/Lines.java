package dev.cotenant.admission.kubernetes.api;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Lines of a stream; a line that is longer than any object is dropped. */
public final class Lines {
  /** An API server takes objects of 3 MiB at most. */
  static final int MAX_LENGTH = 8 << 20;

  private final InputStream in;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream(16 << 10);

  public Lines(InputStream in) {
    this.in = new BufferedInputStream(in, 64 << 10);
  }

  /** The next line, empty for a dropped one; null at the end. */
  public @Nullable String next() throws IOException {
    line.reset();
    boolean tooLong = false;
    int read = in.read();
    if (read < 0) {
      return null;
    }
    while (read >= 0 && read != '\n') {
      tooLong |= line.size() >= MAX_LENGTH;
      if (!tooLong) {
        line.write(read);
      }
      read = in.read();
    }
    return tooLong ? "" : line.toString(StandardCharsets.UTF_8);
  }
}
