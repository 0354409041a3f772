package dev.cotenant.admission.kubernetes.api;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A body whose {@code close} has no effect after its end. The client's stream returns its
 * connection to the pool at the end; a later close would end that connection for its next user.
 */
final class ResponseBody extends FilterInputStream {
  private volatile boolean ended;

  ResponseBody(InputStream body) {
    super(body);
  }

  @Override
  public int read() throws IOException {
    int read = super.read();
    ended |= read < 0;
    return read;
  }

  @Override
  public int read(byte[] buffer, int from, int length) throws IOException {
    int read = super.read(buffer, from, length);
    ended |= read < 0;
    return read;
  }

  @Override
  public void close() throws IOException {
    if (!ended) {
      super.close();
    }
  }
}
