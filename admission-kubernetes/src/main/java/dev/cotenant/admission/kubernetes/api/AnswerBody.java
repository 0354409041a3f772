package dev.cotenant.admission.kubernetes.api;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A body that is not closed once it was read to its end. The client's own stream gives its
 * connection back at the end; closed after that, it ends the connection, which by then is somebody
 * else's.
 */
final class AnswerBody extends FilterInputStream {
  private volatile boolean ended;

  AnswerBody(InputStream body) {
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
