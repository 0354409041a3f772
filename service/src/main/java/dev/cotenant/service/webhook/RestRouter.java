package dev.cotenant.service.webhook;

import dev.cotenant.service.overload.Connection;
import dev.cotenant.service.overload.RequestTimes;
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
  private final RequestTimes times;
  private @Nullable Router router;

  RestRouter(RequestTimes times) {
    this.times = times;
  }

  void made(@Observes Router made) {
    made.route().order(Integer.MIN_VALUE).handler(this::begin);
    router = made;
  }

  /** Bounds and records the time that a request takes, by whichever port it came. */
  private void begin(RoutingContext context) {
    times.time(context);
    Connection connection = Connection.of(context.request());
    long number = connection.began(context.request());
    context.addEndHandler(_ -> connection.answered(number));
    discardTheRest(context);
  }

  /**
   * Discards the unread rest of a request once it is answered: a client that still sends does not
   * read the answer, and the next request of the connection waits behind it.
   */
  private static void discardTheRest(RoutingContext context) {
    HttpServerRequest request = context.request();
    context.addEndHandler(_ -> {
      if (!request.isEnded()) {
        request.handler(_ -> {});
        request.resume();
      }
    });
    context.next();
  }

  /** Answers a paused request as on the HTTP port; on the request's own context. */
  void handle(HttpServerRequest request) {
    // As the framework does for its own: without it the request's context takes no values.
    VertxContextSafetyToggle.setCurrentContextSafe(true);
    Objects.requireNonNull(router, "the router was made before any port opened").handle(request);
  }
}
