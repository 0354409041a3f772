package dev.cotenant.service.rest;

import dev.cotenant.service.origin.AllowedHosts;
import dev.cotenant.service.origin.OriginCheck;
import dev.cotenant.service.origin.OriginCheck.Result;
import io.vertx.core.MultiMap;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;

/**
 * Stands before every route: refuses requests that web pages of others send, and adds the headers
 * by which browsers keep those pages from framing and reading answers.
 */
final class OriginFilter {
  /** After what looks after unread bodies, before everything else. */
  private static final int FIRST = Integer.MIN_VALUE + 1;

  private final OriginCheck check;

  OriginFilter(AllowedHosts hosts) {
    check = new OriginCheck(hosts);
  }

  void register(@Observes Router router) {
    router.route().order(FIRST).handler(this::handle).failureHandler(this::explain);
  }

  private void handle(RoutingContext context) {
    protect(context.response().headers());
    switch (result(context)) {
      case Result.Accepted _ -> context.next();
      case Result.BadHost _ -> ProblemResponse.send(context, badHost());
      case Result.ForeignHost(String name) -> ProblemResponse.send(context, foreignHost(name));
      case Result.ForeignOrigin _ -> ProblemResponse.send(context, foreignOrigin());
      case Result.NoContentType _ -> ProblemResponse.send(context, noContentType());
    }
  }

  /** The router rejects some invalid Host headers before any handler, in its own format. */
  private void explain(RoutingContext context) {
    if (result(context) instanceof Result.BadHost) {
      handle(context);
    } else {
      context.next();
    }
  }

  private Result result(RoutingContext context) {
    return check.check(OriginCheck.Head.of(context.request(), context.normalizedPath()));
  }

  /** The page's own policy is in its head, where {@code frame-ancestors} has no effect. */
  private static void protect(MultiMap headers) {
    headers
        .set("Content-Security-Policy", "frame-ancestors 'none'")
        .set("X-Frame-Options", "DENY")
        .set("X-Content-Type-Options", "nosniff")
        .set("Referrer-Policy", "no-referrer")
        .set("Cross-Origin-Resource-Policy", "same-origin");
  }

  private static ProblemView badHost() {
    return ProblemView.of(
        400,
        "Bad Request",
        "bad-host",
        "A request has one Host header, a name or an address with or without a port, and a whole"
            + " URL as its target names the same.");
  }

  private static ProblemView foreignHost(String name) {
    return ProblemView.of(
        403,
        "Forbidden",
        "host-not-allowed",
        "This service is not called '"
            + name
            + "': use localhost or its IP address, or add the name to"
            + " cotenant.rest.allowed-hosts.");
  }

  private static ProblemView foreignOrigin() {
    return ProblemView.of(
        403,
        "Forbidden",
        "cross-origin-request",
        "The web page of another origin sent this request: only pages of this service may send"
            + " requests, to the Host from which they were loaded.");
  }

  private static ProblemView noContentType() {
    return ProblemView.of(
        415,
        "Unsupported Media Type",
        "content-type-required",
        "POST, PUT and PATCH need one Content-Type, also without a body; /q/openapi lists what"
            + " this path takes.");
  }
}
