package dev.cotenant.service.webhook;

import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The HTTPS port. Only webhooks are open to unauthenticated callers there; requests to REST are
 * authenticated before they are routed.
 */
@Singleton
public class SecurePort {
  private static final int CLOSED = -1;

  private final AtomicInteger port = new AtomicInteger(CLOSED);

  void opened(int number) {
    port.set(number);
  }

  /** Whether a request came by this port. */
  public boolean isVerified(HttpServerRequest request) {
    return request.isSSL()
        && request.localAddress() != null
        && request.localAddress().port() == port.get();
  }
}
