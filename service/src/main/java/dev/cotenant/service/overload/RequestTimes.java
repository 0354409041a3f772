package dev.cotenant.service.overload;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Times requests of the framework's router, by whichever port they came, as {@code
 * http.server.requests}. The framework's own meters would cost each review of the webhooks time,
 * although they are to count none of them.
 */
@Singleton
public class RequestTimes {
  private static final String METER = "http.server.requests";
  private static final String TEMPLATE = RequestTimes.class.getName();

  /** Of pages, health and metrics, and of what was refused before it met an endpoint. */
  private static final String NO_ENDPOINT = "other";

  private final MeterRegistry meters;

  RequestTimes(MeterRegistry meters) {
    this.meters = meters;
  }

  /** Names the endpoint of a request by its path template. */
  public static void name(RoutingContext context, String template) {
    context.put(TEMPLATE, template);
  }

  /** Times a request until its answer begins, as streams of events have no end. */
  public void time(RoutingContext context) {
    long began = System.nanoTime();
    context.addHeadersEndHandler(_ -> record(context, System.nanoTime() - began));
  }

  private void record(RoutingContext context, long nanoseconds) {
    String template = context.get(TEMPLATE);
    meters
        .timer(
            METER,
            "uri",
            Objects.requireNonNullElse(template, NO_ENDPOINT),
            "method",
            template == null ? NO_ENDPOINT : context.request().method().name(),
            "status",
            String.valueOf(context.response().getStatusCode()))
        .record(nanoseconds, TimeUnit.NANOSECONDS);
  }
}
