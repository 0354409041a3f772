package dev.cotenant.llm.source;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.util.Arrays;
import java.util.Optional;

/**
 * A file behind a URL, whose begin is asked for once, most headers with it, and then exactly the
 * bytes of each read; its size is the server's.
 */
final class RemoteFile extends InputStream {
  /** Most headers of safetensors files are smaller: some hundred tensors of 100 bytes each. */
  private static final int BEGIN = 64 << 10;

  private final HeaderRequests requests;
  private final URI address;
  private final byte[] begin;
  private final long size;
  private long position;

  private RemoteFile(HeaderRequests requests, URI address, HeaderRequests.Part begin) {
    this.requests = requests;
    this.address = address;
    this.begin = begin.bytes;
    this.size = begin.size;
  }

  /** A file with its first bytes; empty where there is none. */
  static Optional<RemoteFile> open(HeaderRequests requests, URI address)
      throws InterruptedException {
    return requests
        .part(address, 0, requests.left(BEGIN))
        .map(part -> new RemoteFile(requests, address, part));
  }

  long size() {
    return size;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int wanted = (int) Math.min(length, size - position);
    if (wanted <= 0) {
      return length == 0 ? 0 : -1;
    }
    byte[] bytes = position < begin.length ? begin(wanted) : rest(wanted);
    System.arraycopy(bytes, 0, into, offset, bytes.length);
    position += bytes.length;
    return bytes.length;
  }

  /** In one request: a stream's own would be one for every few kilobytes. */
  @Override
  public byte[] readNBytes(int length) throws IOException {
    int wanted = (int) Math.min(length, size - position);
    long missing = wanted - Math.max(0, begin.length - position);
    if (missing > 0) {
      requests.requireLeft(address, missing);
    }
    byte[] bytes = new byte[wanted];
    return Arrays.copyOf(bytes, readNBytes(bytes, 0, wanted));
  }

  private byte[] begin(int wanted) {
    int from = (int) position;
    return Arrays.copyOfRange(begin, from, Math.min(begin.length, from + wanted));
  }

  private byte[] rest(int wanted) throws IOException {
    try {
      return requests
          .part(address, position, wanted)
          .filter(part -> part.size == size)
          .orElseThrow(() -> HeaderRequests.unreadable(address, "it changes while it is read"))
          .bytes;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(e.getMessage());
    }
  }
}
