package dev.cotenant.service.tracing;

import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.sdk.trace.IdGenerator;
import java.security.SecureRandom;

/** Ids that nobody guesses, since admission ids are made of them. */
final class SecureIds implements IdGenerator {
  private final SecureRandom random = new SecureRandom();

  @Override
  public String generateSpanId() {
    return SpanId.fromLong(notZero());
  }

  @Override
  public String generateTraceId() {
    return TraceId.fromLongs(random.nextLong(), notZero());
  }

  /** An id of zeros is invalid. */
  private long notZero() {
    long next = random.nextLong();
    return next == 0 ? 1 : next;
  }
}
