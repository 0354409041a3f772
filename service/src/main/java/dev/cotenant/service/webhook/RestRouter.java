package dev.cotenant.service.webhook;

import io.quarkus.vertx.core.runtime.context.VertxContextSafetyToggle;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The framework's router, for requests that did not come by the framework's own port. */
@Singleton
class RestRouter {
  private final SecurePort port;
  private @Nullable Router router;

  RestRouter(SecurePort port) {
    this.port = port;
  }

  void made(@Observes Router made) {
    made.route().order(Integer.MIN_VALUE).handler(this::discardTheRest);
    router = made;
  }

  /** What nobody read of a paused request would keep its connection from the next one. */
  private void discardTheRest(RoutingContext context) {
    if (port.isVerified(context.request())) {
      context.addEndHandler(_ -> context.request().resume());
    }
    context.next();
  }

  /** Answers a paused request as on the HTTP port; on the request's own context. */
  void handle(HttpServerRequest request) {
    // As the framework does for its own: without it nothing may be kept in the request's context.
    VertxContextSafetyToggle.setCurrentContextSafe(true);
    Objects.requireNonNull(router, "the router was made before any port opened").handle(request);
  }
}
