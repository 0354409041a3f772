package dev.cotenant.service.rest;

import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/** Counts requests that were matched to an endpoint and are about to call it. */
@Singleton
public class ReachedEndpoints {
  private final AtomicLong reached = new AtomicLong();

  @ServerRequestFilter
  void note() {
    reached.incrementAndGet();
  }

  public long count() {
    return reached.get();
  }
}
