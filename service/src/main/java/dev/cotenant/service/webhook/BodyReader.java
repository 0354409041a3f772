package dev.cotenant.service.webhook;

import dev.cotenant.service.overload.Connection;
import dev.cotenant.service.overload.OverloadBudget.Charge;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

/**
 * Reads the body of one request into memory within the budget of load shedding, which is charged as
 * bytes arrive: an announced length takes nothing, and is refused where it does not fit. On the
 * request's context.
 */
final class BodyReader {
  private static final long CHUNKED = -1;

  private final HttpServerRequest request;
  private final int maxBytes;
  private final Receiver receiver;
  private final long announced;
  private final Charge charge;
  private Buffer body = Buffer.buffer();
  private boolean over;

  /** Takes what became of the body, once; nothing where the caller went away before its end. */
  interface Receiver {
    /**
     * All of the body, or its first bytes up to the limit.
     *
     * @param charge to close once nothing of the body is in use any more
     */
    void read(byte[] body, Charge charge);

    /** The budget is exhausted. */
    void shed(Rest rest);
  }

  /** Rest of a refused body. */
  enum Rest {
    /** It ends soon: the connection can go on. */
    SHORT,
    /** Its end is unknown or far away. */
    ENDLESS
  }

  private BodyReader(HttpServerRequest request, int maxBytes, Charge charge, Receiver receiver) {
    this.request = request;
    this.maxBytes = maxBytes;
    this.charge = charge;
    this.receiver = receiver;
    this.announced = announced(request);
  }

  /**
   * Begins to read.
   *
   * @param maxBytes largest part of the body in memory; the rest is discarded
   * @param charge grows with the body
   */
  static void read(HttpServerRequest request, int maxBytes, Charge charge, Receiver receiver) {
    BodyReader reader = new BodyReader(request, maxBytes, charge, receiver);
    reader.start();
    Connection.of(request)
        .onClose(reader::release); // Vert.x reports a close before start() to no handler
  }

  private void start() {
    if (announced != CHUNKED && !charge.fits(Math.min(announced, maxBytes))) {
      shed();
      return;
    }
    request.exceptionHandler(_ -> release());
    request.handler(this::append);
    request.endHandler(_ -> end());
  }

  private void append(Buffer chunk) {
    int length = Math.min(maxBytes - body.length(), chunk.length());
    if (over || length <= 0) {
      return;
    }
    if (!charge.receive(length)) {
      shed();
    } else {
      body.appendBuffer(chunk, 0, length);
    }
  }

  private void end() {
    if (over) {
      return;
    }
    byte[] bytes = body.getBytes();
    if (charge.read(bytes, 0, bytes.length)) {
      over = true;
      body = Buffer.buffer();
      receiver.read(bytes, charge);
    } else {
      shed();
    }
  }

  private void shed() {
    release();
    boolean ends = announced != CHUNKED && announced <= maxBytes;
    receiver.shed(ends ? Rest.SHORT : Rest.ENDLESS);
  }

  private void release() {
    if (!over) {
      over = true;
      body = Buffer.buffer();
      charge.close();
    }
  }

  private static long announced(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return length == null ? CHUNKED : Long.parseLong(length); // the decoder took no other
  }
}
