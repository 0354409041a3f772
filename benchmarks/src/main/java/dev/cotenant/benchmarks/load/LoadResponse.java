package dev.cotenant.benchmarks.load;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * An answer of an HTTP/1.1 server over a connection that stays open.
 *
 * @param isOk whether its status is 200
 * @param body in UTF-8
 */
public record LoadResponse(boolean isOk, String body) {
  private static final String LENGTH = "content-length:";

  /** Reads one answer to its end. */
  public static LoadResponse read(InputStream in) throws IOException {
    String status = line(in);
    int length = 0;
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      if (header.regionMatches(true, 0, LENGTH, 0, LENGTH.length())) {
        length = Integer.parseInt(header.substring(LENGTH.length()).strip());
      }
    }
    String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    return new LoadResponse(status.contains(" 200 "), body);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the service closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
