package dev.cotenant.forecast.prometheus;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Fails once more than a number of bytes was read. */
final class LimitedStream extends FilterInputStream {
  private final long limit;
  private long left;

  LimitedStream(InputStream in, long limit) {
    super(in);
    this.limit = limit;
    this.left = limit;
  }

  static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;

    TooLongException(long limit) {
      super("is longer than " + limit + " bytes: raise the limit or shorten the window");
    }
  }

  @Override
  public int read() throws IOException {
    int value = super.read();
    count(value < 0 ? 0 : 1);
    return value;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int read = super.read(bytes, offset, length);
    count(Math.max(0, read));
    return read;
  }

  private void count(int bytes) throws IOException {
    left -= bytes;
    if (left < 0) {
      throw new TooLongException(limit);
    }
  }
}
