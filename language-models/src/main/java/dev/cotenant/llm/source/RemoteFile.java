package dev.cotenant.llm.source;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/** A file behind a URL, of which each read asks for exactly its bytes; its size is the server's. */
final class RemoteFile extends InputStream {
  /** Every header has more. */
  private static final int BEGIN = 8;

  private final HeaderRequests requests;
  private final URI address;
  private final byte[] begin;
  private final long size;
  private long position;

  private RemoteFile(HeaderRequests requests, URI address, byte[] begin, long size) {
    this.requests = requests;
    this.address = address;
    this.begin = begin;
    this.size = size;
  }

  /** A file with its first bytes; empty where there is none. */
  static Optional<RemoteFile> open(HeaderRequests requests, URI address)
      throws InterruptedException {
    byte[] begin = new byte[BEGIN];
    OptionalLong size = requests.part(address, 0, begin);
    return size.isEmpty()
        ? Optional.empty()
        : Optional.of(new RemoteFile(requests, address, begin, size.getAsLong()));
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
    byte[] bytes = position < BEGIN ? begin(wanted) : rest(wanted);
    System.arraycopy(bytes, 0, into, offset, bytes.length);
    position += bytes.length;
    return bytes.length;
  }

  /** In one request: a stream's own would be one for every few kilobytes. */
  @Override
  public byte[] readNBytes(int length) throws IOException {
    int wanted = (int) Math.min(length, size - position);
    requests.requireLeft(address, wanted);
    byte[] bytes = new byte[wanted];
    return Arrays.copyOf(bytes, readNBytes(bytes, 0, wanted));
  }

  private byte[] begin(int wanted) {
    int from = (int) position;
    return Arrays.copyOfRange(begin, from, Math.min(BEGIN, from + wanted));
  }

  private byte[] rest(int wanted) throws IOException {
    byte[] bytes = new byte[wanted];
    try {
      if (requests.part(address, position, bytes).orElse(-1) != size) {
        throw HeaderRequests.unreadable(address, "it changes while it is read");
      }
      return bytes;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(e.getMessage());
    }
  }
}
